from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.formats import get_format
from sessions_app.formats.truncation import (
    output_length,
    truncate_older,
    truncate_output,
)

VECTORS = json.loads((Path(__file__).parent / "format_vectors.json").read_text())
JSON = st.recursive(
    st.one_of(st.none(), st.integers(-(2**53), 2**53), st.text(max_size=200)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.dictionaries(st.text(max_size=9), inner, max_size=6),
    ),
)


@pytest.mark.parametrize("case", VECTORS["truncate_tool_output"])
def test_it_cuts_as_the_reference_does(case):
    assert truncate_output(case["output"], case["max_chars"]) == case["result"]
    assert output_length(case["output"]) == case["original_length"]


@given(JSON, st.integers(100, 900))
def test_what_is_cut_fits_and_stays_what_it_was(value, most):
    before = copy.deepcopy(value)

    cut = truncate_output(value, most)

    assert value == before
    assert isinstance(cut, type(value))
    if isinstance(value, str | list | dict):
        assert output_length(cut) <= most
    if output_length(value) <= most:
        assert cut is value


def test_too_deep_is_noted():
    value: object = "x" * 9000
    for _ in range(10):
        value = {"in": value}

    assert "[Nested too deeply]... [truncated " in json.dumps(
        truncate_output(value, 500)
    )


def old(text="t", output="o"):
    part = {"type": "tool-f", "toolCallId": "c", "state": "output-available"}
    parts = [{"type": "text", "text": text}, {**part, "input": {}, "output": output}]
    return {"id": "a", "role": "assistant", "parts": parts}


def test_only_older_messages_are_cut():
    messages = [old("x" * 10_001, "y" * 600), old(), *[old("x" * 20_000)] * 4]

    cut = truncate_older(messages)

    assert cut[0]["parts"][0]["text"] == "x" * 10_000 + "... [truncated 10001 chars]"
    assert len(cut[0]["parts"][1]["output"]) == 500
    assert all(new is given for new, given in zip(cut[1:], messages[1:], strict=True))
    assert len(messages[0]["parts"][1]["output"]) == 600
    assert truncate_older(messages, keep_recent=6) == messages
    assert len(truncate_older(messages, keep_recent=0)[5]["parts"][0]["text"]) < 20_000


def test_a_character_is_not_cut_in_two():
    assert truncate_output("😀" * 300, 501).startswith("😀" * 230)


def test_what_was_sent_does_not_undo_a_cut():
    chat = get_format("openai-chat")
    raw = [
        {"role": "user", "content": "Hi"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "f", "arguments": "{}"},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c", "content": "x" * 600},
    ]
    messages = [{"id": f"m{i}"} | each for i, each in enumerate(chat.parse(raw))]

    cut = chat.render(truncate_older(messages, keep_recent=0), None).messages

    assert cut[:2] == raw[:2]
    assert len(cut[2]["content"]) == 500


def test_orphans_as_the_reference_mends_them():
    """Its sanitizeToolPairs: results without a call go, a call without one gets a stub."""
    for case in VECTORS["sanitize_tool_pairs"]:
        found = get_format("openai-chat").render(case["in"], None).messages

        roles = [each["role"] for each in found]
        expected = [
            "tool" if "tool-result" in each["part_types"] else each["role"]
            for each in case["out"]
        ]
        # A text that stood beside a dropped result is a user's.
        assert roles == [
            ("user" if e == "tool" and "tool" not in roles else e) for e in expected
        ]
