from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.errors import Invalid
from sessions_app.strategies import STRATEGIES, Memory, choose, first_calls, summary_of


def message(role, *parts):
    return {"role": role, "parts": list(parts)}


def user():
    return message("user", {"type": "text", "text": "word " * 4})


def call(*ids):
    return message("assistant", *({"type": "tool-f", "toolCallId": uid} for uid in ids))


def result(uid):
    part = {
        "type": "tool-f",
        "toolCallId": uid,
        "state": "output-available",
        "output": "o",
    }
    return message("tool", part)


def ten(message):
    return 10


TURN = [user(), call("a", "b"), result("a"), result("b"), user()]


@pytest.mark.parametrize(
    ("name", "size", "start"),
    [
        ("simple", None, 0),
        ("sliding_window", None, 0),
        ("sliding_window", 1, 4),
        ("sliding_window", 2, 1),
        ("sliding_window", 3, 1),
        ("sliding_window", 4, 1),
        ("sliding_window", 9, 0),
        ("token_window", None, 0),
        ("token_window", 50, 0),
        ("token_window", 49, 1),
        ("token_window", 39, 4),
        ("token_window", 1, 4),
        ("summarizing", None, 0),
        ("summarizing", 2, 1),
    ],
)
def test_where_it_begins(name, size, start):
    found = choose(name, TURN, size, ten)

    assert found.start == start
    assert found.summarize is (name == "summarizing" and start > 0)
    assert found.over_budget is (size == 1 and name == "token_window")


def test_the_newest_message_stays_with_its_call():
    messages = [user(), call("a"), result("a")]

    assert choose("sliding_window", messages, 1).start == 1
    found = choose("token_window", messages, 5, ten)
    assert (found.start, found.over_budget) == (1, True)


def test_only_the_first_result_of_a_call_counts():
    messages = [call("a"), result("a"), user(), user(), result("a")]

    assert first_calls(messages) == [0, 0, 2, 3, 4]


STEP = st.one_of(
    st.builds(user),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=2).map(
        lambda ids: call(*ids)
    ),
    st.sampled_from("abc").map(result),
)


@given(
    st.lists(STEP, max_size=12),
    st.sampled_from(sorted(STRATEGIES)),
    st.integers(1, 130),
)
def test_pairs_are_never_parted_and_the_newest_is_kept(messages, name, size):
    found = choose(name, messages, size, ten)

    calls = first_calls(messages)
    assert all(
        calls[place] >= found.start for place in range(found.start, len(messages))
    )
    assert found.start < len(messages) or not messages
    kept = len(messages) - found.start
    if name == "token_window" and not found.over_budget:
        assert kept * 10 <= size
    if name in ("sliding_window", "summarizing"):
        assert kept >= min(size, len(messages))


def test_what_is_no_strategy_is_refused():
    with pytest.raises(Invalid, match="must be one of simple, "):
        choose("forgetful", [])
    with pytest.raises(Invalid, match="window: must be at least 1"):
        choose("sliding_window", [], 0)


def test_memory_reads_stores_and_tells_what_was_appended():
    memory = Memory(TURN, strategy="sliding_window", size=1)

    memory.store(user())

    assert len(memory.read()) == 1
    assert memory.appended() == [user()]


def test_memory_asks_for_a_summary_once_for_each_beginning():
    asked = []

    def summarize(older):
        asked.append(len(older))
        return "They met."

    memory = Memory([user()] * 25, strategy="summarizing", summarize=summarize)
    for _ in range(2):
        assert memory.read()[0] == summary_of("They met.")
    memory.store(user())
    assert len(memory.read()) == 21

    assert asked == [5, 6]
    assert len(Memory([user()] * 25, strategy="summarizing").read()) == 25
