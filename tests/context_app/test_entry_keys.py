from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_app.entry_keys import entry_key, fnv1a, slug

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "context.json").read_text()
)


@pytest.mark.parametrize("case", VECTORS["context_entry_key"])
def test_keys_of_the_reference(case):
    assert entry_key(case["content"], case["title"]) == case["key"]


def test_more_keys_of_the_reference():
    assert entry_key("no key") == "no-key-1nprufp"
    assert entry_key("") == "entry-ztntfp"


@pytest.mark.parametrize("blank", ["", "   ", "\u00a0\ufeff\n"])
def test_a_blank_title_is_none(blank):
    assert entry_key("x", blank) == entry_key("x", None)


def test_what_javascript_does_not_call_a_space_is_a_title():
    assert entry_key("x", "\x85").startswith("entry-")
    assert entry_key("x", "\x1c") != entry_key("x")


def test_a_slug_is_cut_at_sixty_units():
    assert slug("a" * 70) == "a" * 60
    # An emoji takes two, so that the 31st is out, and the letter behind it as well.
    assert slug("a" + "😀" * 30 + "b") == "a"
    assert slug("a" + "😀" * 29 + "b") == "a-b"


def test_one_dash_is_taken_off_each_end():
    assert slug("--a--b--") == "a-b"
    assert slug("!!!") == ""


@given(st.text(), st.none() | st.text())
def test_a_key_is_short_and_plain(content, title):
    key = entry_key(content, title)

    assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", key) or key[-1] == "-"
    assert len(key) <= 68
    assert key == entry_key(content, title)


@given(st.text())
def test_a_hash_is_32_bits_in_base_36(text):
    assert 0 <= int(fnv1a(text), 36) < 2**32
