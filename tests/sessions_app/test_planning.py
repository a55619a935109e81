from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions_app.planning import (
    Limits,
    Span,
    Step,
    align_backward,
    align_forward,
    find_span,
    safe_cuts,
    shorten,
    summary_budget,
    tail_cut,
)

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "compaction.json").read_text()
)

OUR_ALIGNMENTS = {
    1: ([0, 1, 4, 4, 4, 5], [0, 1, 1, 1, 4, 5]),
    2: ([0, 1, 4, 4, 4, 5], [0, 1, 1, 1, 4, 5]),
}
OUR_STARTS = {"overlay after head": "z0", "overlay inside head": "z0"}
TOKENS = {"6 huge defaults": 20_800}
OPTIONS = {
    "protectHead": "protect_head",
    "tailTokenBudget": "tail_tokens",
    "minTailMessages": "min_tail",
}


def text(uid="m", tokens=6, role="user"):
    return Step(uid, role, [{"type": "text", "text": "x"}], tokens)


def summary(uid="c", tokens=6, count=3):
    return Step(
        uid, "assistant", [{"type": "text", "text": "S"}], tokens, ("z0", "z9"), count
    )


def call(*ids, **fields):
    parts = [{"type": "tool-read", "toolCallId": each, **fields} for each in ids]
    return Step("call", "assistant", parts, 6)


def result(*ids, role="tool"):
    parts = [{"type": "tool-result", "toolCallId": each, "output": "o"} for each in ids]
    return Step("result", role, parts, 6)


def span(*steps, **limits):
    return find_span(steps, Limits(**{"tail_tokens": 0, **limits}))


@pytest.mark.parametrize("case", VECTORS["find_tail_cut"])
def test_tail_cut(case):
    cut = tail_cut(
        [case["each_message_tokens"]] * case["n_messages"],
        case["head_end"],
        case["tail_token_budget"],
        case["min_tail_messages"],
    )

    assert cut == case["result"]


@pytest.mark.parametrize("number", range(len(VECTORS["align"])))
def test_alignment(number):
    case = VECTORS["align"][number]
    steps = [Step(m["id"], m["role"], m["parts"], 6) for m in case["messages"]]
    forward, backward = OUR_ALIGNMENTS.get(number, (case["forward"], case["backward"]))
    assert ("ours" in case) == (number in OUR_ALIGNMENTS)

    cuts = safe_cuts(steps)

    assert [align_forward(cuts, at) for at in range(len(cuts))] == forward
    assert [align_backward(cuts, at) for at in range(len(cuts))] == backward


@pytest.mark.parametrize(
    "case", VECTORS["compact_function"], ids=lambda case: case["case"]
)
def test_span_and_budget(case):
    assert ("ours" in case) == (case["case"] in OUR_STARTS)
    steps = [step_of(uid, TOKENS.get(case["case"], 6)) for uid in case["message_ids"]]
    limits = Limits(**{OPTIONS[key]: value for key, value in case["options"].items()})

    found = find_span(steps, limits)

    if case["from"] is None:
        assert found is None
        return
    assert found
    chosen = steps[slice(*found)]
    assert chosen[0].first == OUR_STARTS.get(case["case"], case["from"])
    assert chosen[-1].last == case["to"]
    tokens = sum(step.tokens for step in chosen)
    assert summary_budget(tokens) == case["summary_budget_in_prompt"]
    assert any(step.is_summary for step in chosen) == case["previous_summary_included"]


def step_of(uid, tokens):
    if uid.startswith("compaction_"):
        return summary(uid)
    if uid[0] in "cr":
        part = {"toolCallId": f"k{uid[1:]}", "toolName": "t"}
        if uid[0] == "c":
            return Step(
                uid, "assistant", [{"type": "tool-call", "input": {}, **part}], 6
            )
        return Step(uid, "tool", [{"type": "tool-result", "output": "o", **part}], 6)
    return text(uid, tokens)


@pytest.mark.parametrize("case", VECTORS["summary_budget"])
def test_summary_budget(case):
    assert summary_budget(case["content_tokens"]) == case["budget"]


def test_a_budget_has_an_end():
    assert summary_budget(10**7) == 8000
    assert summary_budget(10**7, 500) == 500
    assert summary_budget(10**7, 5) == 100


def test_it_starts_where_the_oldest_summary_does():
    steps = [text()] * 5 + [summary()] + [text()] * 4

    assert span(*steps, tail_tokens=12) == Span(5, 8)


def test_what_is_between_two_summaries_is_in_it():
    steps = [text(), summary(), text(), summary(), text(), text(), text()]

    assert span(*steps) == Span(1, 5)


def test_summaries_alone_are_not_summarised():
    assert span(*[text()] * 3, summary(), summary(), text(), text()) is None


def test_much_that_is_raw_above_the_oldest_summary_is_taken_in():
    steps = [text()] * 3 + [text(tokens=600)] * 2 + [summary()] + [text()] * 4

    assert span(*steps, tail_tokens=12) == Span(3, 8)


def test_the_start_is_not_within_a_call():
    """A summary between a call and its result: all of them are taken in."""
    steps = [text(), text(), call("k"), summary(), result("k"), text(), text(), text()]

    assert span(*steps) == Span(2, 6)


@pytest.mark.parametrize(
    ("steps", "cuts"),
    [
        ([text(), text()], "111"),
        ([call("k", output="o"), text()], "111"),
        ([call("k"), text(), result("k"), text()], "10011"),
        ([call("a", "b"), result("a"), result("b"), text()], "10011"),
        ([call("a"), call("b"), result("a"), result("b")], "10001"),
        ([call("a"), result("a"), call("a"), result("a")], "10101"),
        ([call("a"), result("a"), result("a"), call("b", output=0)], "10011"),
        ([call("a"), call("a", output="o"), text()], "1011"),
        ([call("a", output="o"), call("a", output="o")], "111"),
        ([call("a", errorText="no"), call("a", output="o")], "111"),
        ([result("a"), text(), call("b")], "1111"),
        ([call("a"), result("a", role="assistant"), result("a")], "1001"),
        ([call(None), result(None), text()], "1111"),
    ],
)
def test_safe_cuts(steps, cuts):
    assert "".join(str(int(cut)) for cut in safe_cuts(steps)) == cuts


@pytest.mark.parametrize(
    ("room", "end"), [(1000, 6), (45, 4), (35, 3), (25, 1), (10, 1), (1, 1)]
)
def test_shorten(room, end):
    steps = [text(), call("k"), result("k"), text(), text(), text()]

    assert shorten(steps, Span(0, 6), [10] * 6, room) == Span(0, end)


def test_what_is_shortened_has_a_message_after_its_summaries():
    steps = [summary(), call("k"), result("k"), text()]

    assert shorten(steps, Span(0, 4), [10] * 4, 5) == Span(0, 3)


def test_first_messages_that_leave_no_room_are_not_protected():
    steps = [text("a", 5), text("b", 5), text("c", 500), *map(text, "defg")]

    assert span(*steps, head_tokens=400) == Span(2, 5)
    assert span(*steps, head_tokens=600) == Span(3, 5)
    assert span(*steps, head_tokens=4) == Span(0, 5)


def test_a_call_is_not_parted_where_the_head_is_shorter():
    steps = [text(), call("x"), result("x"), text("c", 500), *map(text, "defg")]

    assert span(*steps, head_tokens=17) == Span(1, 6)


def test_a_head_within_a_summary_begins_with_it():
    steps = [summary(tokens=500), *map(text, "abcdefg")]

    assert span(*steps, head_tokens=100) == Span(0, 6)
