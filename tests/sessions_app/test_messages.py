from __future__ import annotations

import json

import msgspec
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.errors import Invalid
from sessions_app.messages import (
    MAX_TEXT,
    MAX_TOOL_TEXT,
    parse_body,
    preview,
    read_message,
    summary_message,
    summary_tokens,
)
from sessions_app.tokens import message_tokens

HELLO = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
PARTS = st.lists(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(
                ["text", "reasoning", "tool-x", "dynamic-tool", "file"]
            )
        },
        optional=dict.fromkeys(
            ("text", "reasoning", "input", "output", "result", "toolName"), JSON
        ),
    )
)


def read(message):
    return read_message(orjson.dumps(message), "messages[0]")


def refusal(message):
    with pytest.raises(Invalid) as caught:
        read_message(
            message if isinstance(message, bytes) else orjson.dumps(message),
            "messages[0]",
        )
    return caught.value


def test_it_works():
    draft = read(HELLO)

    assert (draft.uid, draft.role, draft.text) == ("m1", "user", "Hello")
    assert draft.body == orjson.dumps(HELLO).decode()
    assert draft.tokens == message_tokens(HELLO)
    assert not draft.is_reserved


def test_it_is_kept_to_the_letter():
    raw = b'{ "parts":[],"role" : "user","id":"m1","x":[1.0, 1e300, 12345678901234567890]}'

    assert read_message(raw, "").body == raw.decode()


def test_space_around_it_is_not_part_of_it():
    draft = read_message(b' \n{"role":"user","parts":[]} ', "")
    draft.identify("m1")

    assert parse_body(draft.body) == {"id": "m1", "role": "user", "parts": []}


def test_raw_from_a_larger_body():
    body = msgspec.json.decode(
        b'{"messages": [ {"role":"user","parts":[]} ]}',
        type=dict[str, list[msgspec.Raw]],
    )

    draft = read_message(body["messages"][0], "")

    assert draft.body == '{"role":"user","parts":[]}'


@pytest.mark.parametrize("message", [{}, {"id": None}])
def test_an_id_is_given(message):
    draft = read({**message, "role": "user", "parts": []})
    assert draft.uid is None

    draft.identify('a "quoted" id')

    assert parse_body(draft.body) == {
        "id": 'a "quoted" id',
        "role": "user",
        "parts": [],
    }
    assert draft.uid == 'a "quoted" id'


def test_a_string_of_content_is_a_text():
    draft = read({"id": "m1", "role": "user", "content": "Hello \u4f60", "x": 1})

    assert parse_body(draft.body) == {
        "id": "m1", "role": "user", "x": 1,
        "parts": [{"type": "text", "text": "Hello \u4f60"}],
    }  # fmt: skip
    assert draft.text == "Hello \u4f60"


def test_parts_win_over_content():
    draft = read({**HELLO, "content": "other"})

    assert draft.text == "Hello"
    assert parse_body(draft.body)["content"] == "other"


def test_a_reserved_id():
    assert read({**HELLO, "id": "compaction_1"}).is_reserved


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": 1}, "id"),
        ({"id": ""}, "id"),
        ({"id": " "}, "id"),
        ({"id": "a\nb"}, "id"),
        ({"id": "a\0b"}, "id"),
        ({"id": "x" * 201}, "id"),
        ({"role": None}, "role"),
        ({"role": 1}, "role"),
        ({"role": ""}, "role"),
        ({"role": "x" * 101}, "role"),
        ({"parts": None}, "parts"),
        ({"parts": "text"}, "parts"),
        ({"parts": {}}, "parts"),
        ({"parts": ["text"]}, "parts[0]"),
        ({"parts": [{"type": "text"}, {}]}, "parts[1]"),
        ({"parts": [{"type": 1}]}, "parts[0]"),
    ],
)
def test_what_is_no_message(change, field):
    error = refusal(HELLO | change)

    assert error.code == "invalid"
    assert error.details == {"field": f"messages[0].{field}"}


@pytest.mark.parametrize("key", ["role", "parts"])
def test_what_is_missing(key):
    message = {each: value for each, value in HELLO.items() if each != key}

    assert refusal(message).details == {"field": f"messages[0].{key}"}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b'{"id": "\\ud800", "role": "user", "parts": []}',
        b'{"role": "user", "parts": [], "x": "\xff"}',
        b'{"role": "user", "parts": [], "x": NaN}',
    ],
)
def test_what_is_no_json_object(raw):
    assert refusal(raw).details == {"field": "messages[0]"}


@pytest.mark.parametrize("levels", [300, 2000, 100_000])
def test_what_is_nested_too_deeply(levels):
    raw = b'{"role":"user","parts":[],"x":' + b"[" * levels + b"]" * levels + b"}"

    assert refusal(raw).details == {"field": "messages[0]"}


def test_much_that_is_not_nested():
    assert read({**HELLO, "x": [[]] * 1000}).uid == "m1"


def test_what_search_sees():
    draft = read(
        {
            **HELLO,
            "parts": [
                {"type": "text", "text": "one\0two"},
                {"type": "reasoning", "reasoning": "three"},
                {"type": "tool-weather", "input": {"city": "Oslo"}, "output": "rainy"},
                {"type": "dynamic-tool", "toolName": "time", "errorText": "late"},
                {"type": "tool-long", "output": "x" * 100_000},
                {"type": "file", "url": "data:secret"},
            ],
        }
    )

    lines = draft.text.split("\n")
    assert lines[:-1] == [
        "one two", "three", "weather", '{"city":"Oslo"}', "rainy", "time", "late", "long",
    ]  # fmt: skip
    assert lines[-1] == "x" * MAX_TOOL_TEXT


def test_what_search_sees_is_bounded():
    part = {"type": "text", "text": "word " * MAX_TEXT}

    assert len(read({**HELLO, "parts": [part]}).text) == MAX_TEXT


@given(st.dictionaries(st.sampled_from(["id", "role", "parts", "content", "x"]), JSON))
def test_any_object_is_read_or_refused(message):
    raw = json.dumps(message).encode()

    try:
        draft = read_message(raw, "")
    except Invalid:
        return
    assert parse_body(draft.body)["role"] == message["role"]


@given(PARTS, st.dictionaries(st.text(), JSON))
def test_any_parts_are_read_or_refused(parts, extra):
    message = {**extra, "id": "m1", "role": "user", "parts": parts}
    raw = json.dumps(message).encode()

    try:
        draft = read_message(raw, "")
    except Invalid:
        assert b"\\ud" in raw
        return
    assert draft.body == raw.decode()
    assert draft.tokens >= 4
    assert "\0" not in draft.text


def test_preview():
    assert preview("  one\n\ntwo   three ") == "one two three"
    assert preview("word " * 100) == ("word " * 20)[:99] + "…"
    assert preview("") == ""


def test_summary_message():
    message = summary_message(
        uid="c1",
        summary="S",
        created_at="2026-11-20T00:00:00.000Z",
        compaction={"id": "c1"},
    )

    assert message == {
        "id": "compaction_c1",
        "role": "assistant",
        "parts": [{"type": "text", "text": "S"}],
        "createdAt": "2026-11-20T00:00:00.000Z",
        "metadata": {"compaction": {"id": "c1"}},
    }
    assert message_tokens(message) == summary_tokens("S")
