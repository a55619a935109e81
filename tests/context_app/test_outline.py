"""Which stored messages the entries of a rendered conversation come from, and its shares."""

from __future__ import annotations

import orjson
import pytest

from context_app.working_context import build_context
from context_app.working_context.outline import Outline
from context_app.working_context.shares import share_out
from sessions_app.formats import FORMATS
from tests.blocks import block
from tests.builders import append, compact, draft, talk

WORDS = "The weather in harbour number {} is fine"


@pytest.mark.parametrize("name", FORMATS)
def test_every_entry_is_found_in_every_format(session, name):
    append(
        session, *(draft(WORDS.format(n), f"m{n}", role=role(n)) for n in range(1, 41))
    )

    context = build_context(session=session, format=name)
    entries = orjson.loads(context.conversation.messages)
    outline = Outline(context.steps)

    each = [range(n, n + 1) for n in range(40)]
    assert list(outline.trace(entries)) == each
    assert list(outline.trace_back(reversed(entries))) == each[::-1]


def role(number):
    return "user" if number % 2 else "assistant"


def test_calls_and_results_are_told_by_their_ids(session):
    part = {"type": "tool-look", "toolCallId": "call_7", "state": "output-available",
            "input": {}, "output": "fine"}  # fmt: skip
    append(
        session,
        draft("go", "a"),
        draft("b", "b", role="assistant", parts=[part]),
        draft(WORDS.format(9), "c", role="assistant"),
    )

    context = build_context(session=session, format="openai-chat")
    entries = orjson.loads(context.conversation.messages)
    places = list(Outline(context.steps).trace(entries))

    assert [place and place.start for place in places] == [None, 1, 1, 2]


def test_numbers_count_what_a_summary_stands_for(session):
    append(session, *(draft(WORDS.format(n), f"m{n}") for n in range(1, 11)))
    compact(session, "m3", "m8", "What was said")

    context = build_context(session=session)
    outline = Outline(context.steps)

    assert [outline.span(n, n) for n in range(5)] == [
        (1, 1), (2, 2), (3, 8), (9, 9), (10, 10)
    ]  # fmt: skip
    assert outline.tokens(0, 4) == context.tokens.messages
    assert outline.tokens(2, 2) == context.conversation.summary_tokens
    assert outline.numbers_of(["m2", "m9", "m5"]) == {"m2": 2, "m9": 9}
    assert outline.summaries() == ["What was said"]


def test_a_window_begins_far_down(session):
    append(session, *(draft(WORDS.format(n), f"m{n}") for n in range(1, 101)))

    context = build_context(session=session, strategy="sliding_window", window=2)
    entries = orjson.loads(context.conversation.messages)
    places = list(Outline(context.steps).trace_back(reversed(entries)))

    assert places == [range(99, 100), range(98, 99)]


def test_the_shares_add_up(session):
    block(session, "memory", "Likes tea and the harbour")
    block(session, "soul", "Calm\n\nand kind", kind="readonly")
    talk(session, "a b c")
    context = build_context(session=session)

    shares = share_out(
        prompt=context.prompt.text,
        prompt_tokens=context.tokens.system,
        tools=context.tokens.tools,
        conversation=context.tokens.messages,
        summary=0,
    )

    assert shares.total == context.tokens.total
    assert shares.blocks == 11  # of the two texts alone
    assert shares.system == context.tokens.system - 11


def test_a_prompt_that_is_no_blocks_is_system_text():
    shares = share_out(
        prompt="Be kind", prompt_tokens=2, tools=0, conversation=0, summary=0
    )

    assert (shares.system, shares.blocks) == (2, 0)
