"""JSON as HTML: it says the same, and nothing in it is markup."""

from __future__ import annotations

import html
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.dash.rendering.json import json_html

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
TAG = re.compile(r'<span class="[ksn]">|</span>')


def text_of(view) -> str:
    bare = TAG.sub("", view.html)
    assert "<" not in bare
    assert ">" not in bare
    return html.unescape(bare)


@given(VALUES)
def test_it_says_the_same(value):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
        view = json_html(text)
        assert json.loads(text_of(view)) == value
        assert view.left == 0


def test_spelling_stays():
    text = '{"n":1.50E+2,"big":123456789012345678901234567890,"u":"\\u00e9"}'
    shown = text_of(json_html(text))
    assert "1.50E+2" in shown
    assert "123456789012345678901234567890" in shown
    assert "\\u00e9" in shown


def test_keys_texts_and_numbers_are_told_apart():
    assert json_html('{"a": ["b", 1, null], "c" : {}}').html == (
        '{\n  <span class="k">&quot;a&quot;</span>: [\n    '
        '<span class="s">&quot;b&quot;</span>,\n    <span class="n">1</span>,\n    '
        '<span class="n">null</span>\n  ],\n  '
        '<span class="k">&quot;c&quot;</span>: {}\n}'
    )


@pytest.mark.parametrize(
    "probe",
    [
        '{"<script>": "</pre><script>alert(1)</script>"}',
        '"\\"><img src=x onerror=alert(1)>"',
        "<svg/onload=alert(1)>",
        '{"a": <b>}',
        '"unterminated <i>',
        "[1, 2,",
        "}}}}]]]]<u>",
    ],
)
def test_nothing_in_it_is_markup(probe):
    text_of(json_html(probe))
    text_of(json_html(probe, 5))


def test_a_long_text_is_cut():
    text = json.dumps({"a": "x" * 10_000, "b": 1})
    view = json_html(text, 1000)
    assert len(text_of(view)) < 1100
    assert view.left == len(text) - len('{"a": ') - (1000 - len('{"a":'))
    assert json_html("[" * 10_000, 100).left == 9_900
