from __future__ import annotations

from typing import Any

import orjson
import pytest

from sessions_app.dash.session.transcript import inputs
from sessions_app.dash.session.transcript.budget import BUDGET, TEXT, Budget
from sessions_app.dash.session.transcript.notes import later, note_of
from sessions_app.dash.session.transcript.rows import Row, build_rows
from sessions_app.dash.session.transcript.tools import LINES
from sessions_app.services.browsing.siblings import Entry, Place

MINUTE = 60_000


def call(name: str, uid: str, **value: Any) -> dict[str, Any]:
    return {
        "type": f"tool-{name}",
        "toolCallId": uid,
        "toolName": name,
        "state": "input-available",
        "input": value,
    }


def result(name: str, uid: str, output: Any) -> dict[str, Any]:
    return {
        "type": f"tool-{name}",
        "toolCallId": uid,
        "toolName": name,
        "state": "output-available",
        "output": output,
    }


def failure(name: str, uid: str, text: str) -> dict[str, Any]:
    part = {**result(name, uid, None), "state": "output-error", "errorText": text}
    del part["output"]
    return part


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def rows(*messages: tuple[str, list[Any]], **options: Any) -> list[Row]:
    """Return the rows of messages, which follow one another every 100 ms."""
    entries = []
    for number, (role, parts) in enumerate(messages):
        place = Place(
            id=number + 1,
            uid=f"m{number + 1}",
            parent_id=number or None,
            role=role,
            depth=number,
            seq=number,
            tokens=1,
            path_tokens=number + 1,
            created_at=number * 100,
        )
        body = orjson.dumps({"id": place.uid, "role": role, "parts": parts}).decode()
        entries.append(Entry(place, body))
    return build_rows(entries, **{"siblings": {}, "labels": {}, **options})


def shape(found: list[Row]) -> list[str]:
    return [
        f"{row.kind} {row.number}"
        + (f"-{row.last_number}" if row.last_number != row.number else "")
        for row in found
    ]


def test_a_result_joins_its_call():
    found = rows(
        ("assistant", [text("look"), call("bash", "c", command="ls")]),
        ("tool", [result("bash", "c", "file\n")]),
        ("assistant", [text("done")]),
    )

    assert shape(found) == ["message 1-2", "message 3"]
    card = found[0].cards[0]
    assert (card.name, card.line, card.got.text) == ("bash", "ls", "file")
    assert card.milliseconds == 100
    assert (card.call_at.uid, card.result_at.uid) == ("m1", "m2")


def test_a_part_with_its_own_result_needs_no_message():
    (row,) = rows(("assistant", [{**call("x", "c", q="a"), **result("x", "c", [1])}]))

    assert row.kind == "tool"
    assert row.cards[0].got.text == "[1]"


def test_results_of_calls_further_up_stand_by_themselves():
    found = rows(("tool", [result("bash", "gone", "late")]), ("user", [text("hi")]))

    assert shape(found) == ["tool 1", "message 2"]
    assert found[0].cards[0].got.text == "late"


def test_consecutive_calls_are_folded():
    found = rows(
        ("user", [text("go")]),
        ("assistant", [call("bash", "a", command="cd /x && git add .")]),
        ("tool", [result("bash", "a", "")]),
        ("assistant", [call("bash", "b", command="git commit")]),
        ("tool", [failure("bash", "b", "no\nCommand exited with code 3")]),
        ("assistant", [text("oh")]),
    )

    assert shape(found) == ["message 1", "run 2-5", "message 6"]
    run = found[1].run
    assert run.lines == "git add . · git commit"
    assert run.failed == 1
    assert run.cards[1].failure == "exit 3"


def test_prose_ends_a_run():
    found = rows(
        ("assistant", [call("bash", "a", command="x")]),
        ("assistant", [text("so"), call("bash", "b", command="y")]),
        ("assistant", [call("bash", "c", command="z")]),
    )

    assert shape(found) == ["tool 1", "message 2", "tool 3"]


def test_a_selected_message_is_not_folded_away():
    found = rows(
        ("assistant", [call("bash", "a", command="x")]),
        ("assistant", [call("bash", "b", command="y")]),
        ("assistant", [call("bash", "c", command="z")]),
        selected="m2",
    )

    assert shape(found) == ["tool 1", "tool 2", "tool 3"]
    assert [row.is_selected for row in found] == [False, True, False]


def test_a_selected_result_selects_its_call():
    found = rows(
        ("assistant", [text("a"), call("bash", "a", command="x")]),
        ("tool", [result("bash", "a", "y")]),
        selected="m2",
    )

    assert [row.is_selected for row in found] == [True]


def test_a_result_with_siblings_keeps_its_row():
    found = rows(
        ("assistant", [call("bash", "a", command="x")]),
        ("tool", [result("bash", "a", "y")]),
        siblings={2: ["m2", "other"]},
    )

    assert shape(found) == ["tool 1", "tool 2"]
    assert (found[1].chip.position, found[1].chip.count) == (1, 2)
    assert found[1].chip.following == "other"


def test_many_calls_in_one_message_are_folded():
    (row,) = rows(
        ("assistant", [text("a"), *(call("b", f"c{n}", command="x") for n in range(4))])
    )

    assert [piece.kind for piece in row.shown] == ["text", "run"]


def test_an_edit_shows_what_changes():
    (row,) = rows(
        (
            "assistant",
            [call("edit", "e", path="a/b.py", oldText="x\ny", newText="x\nz")],
        )
    )

    card = row.cards[0]
    assert [each.kind for each in card.diff] == ["same", "removed", "inserted"]
    assert (card.inserted, card.removed, card.path) == (1, 1, "a/b.py")
    assert card.is_open


def test_long_outputs_are_cut_and_failures_show_their_end():
    lines = "\n".join(f"line {number}" for number in range(100))
    good, bad = rows(
        (
            "assistant",
            [text("a"), {**call("b", "c", q="x"), **result("b", "c", lines)}],
        ),
        (
            "assistant",
            [text("a"), {**call("b", "d", q="x"), **failure("b", "d", lines)}],
        ),
    )

    assert good.cards[0].got.text.startswith("line 0\n")
    assert bad.cards[0].got.text.endswith("line 99")
    for row in (good, bad):
        assert row.cards[0].got.is_cut
        assert row.cards[0].got.lines == 100
        assert row.cards[0].got.text.count("\n") == LINES - 1


@pytest.mark.parametrize(
    ("value", "line"),
    [
        (None, ""),
        ("text", "text"),
        ({"command": "cd /a/b && npm  test\n"}, "npm test"),
        ({"path": "a.py", "offset": 20, "limit": 11}, "a.py 20–30"),
        ({"x": 1, "y": [2]}, "x=1 y=[2]"),
        ({"path": "d/" * 60 + "end.py"}, "d/d/d/d/d/d/d/d/d/d/d/d…" + "d/" * 20 + "end.py"),
        ([1, {"a": None}], '[1,{"a":null}]'),
        (7, "7"),
    ],
)  # fmt: skip
def test_inputs_in_one_line(value, line):
    if isinstance(value, dict) and len(str(value)) > 100:
        assert len(inputs.line(value)) <= inputs.LONGEST_PATH
        assert inputs.line(value).endswith("/end.py")
    else:
        assert inputs.line(value) == line


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool-x"},
        {"type": "tool-x", "input": 5, "output": {"deep": [1]}},
        {"type": "tool-x", "state": 7, "toolCallId": 9, "toolName": []},
        {"type": "dynamic-tool", "toolName": "d", "state": "input-streaming"},
        {"type": "tool-result", "toolCallId": "q", "result": None},
        {"type": "text", "text": 3},
        {"type": "reasoning"},
        {"type": "file"},
        {"type": "source-url", "url": 5},
        {"type": "", "x": 10**15},
    ],
)
def test_odd_parts_are_shown_all_the_same(part):
    (row,) = rows(("assistant", [part]))

    assert row.shown


def test_how_a_message_ended():
    assert note_of({"stopReason": "aborted"}).text == "stopped by the user"
    pi = {"pi": {"message": {"stopReason": "error", "errorMessage": "terminated"}}}
    assert note_of(pi).text == "failed: terminated"
    assert note_of({"stopReason": "stop"}) is None
    assert note_of("odd") is None


def test_pauses_and_days():
    assert later(0, 29 * MINUTE) == ""
    assert later(0, 45 * MINUTE) == "45 min later"
    assert later(0, 190 * MINUTE) == "3 h 10 min later"
    assert later(0, 26 * 60 * MINUTE) == "26 h later · 2 January 1970"
    assert later(23 * 60 * MINUTE + 59 * MINUTE, 24 * 60 * MINUTE) == "2 January 1970"


def test_a_page_holds_less_of_the_older():
    found = rows(*[("user", [text("x" * 4_000)]) for _ in range(20)])

    Budget().shorten(reversed(found))

    lengths = [len(row.pieces[0].text) for row in found]
    assert lengths[-1] == 4_000
    assert lengths[0] == TEXT
    assert sum(lengths) <= BUDGET + 20 * TEXT
    assert found[0].pieces[0].is_cut
    assert not found[-1].pieces[0].is_cut


def test_a_diff_without_room_begins_where_something_changes():
    before = "\n".join(f"line {number} " + "x" * 400 for number in range(60))
    after = before.replace("line 50 ", "other 50 ")
    found = rows(
        ("assistant", [call("edit", "e", path="a", oldText=before, newText=after)]),
        ("user", [text("y" * 4_000)]),
        ("user", [text("y" * 5_000)]),
        ("user", [text("y" * 5_000)]),
        ("user", [text("y" * 4_000)]),
    )

    Budget().shorten(reversed(found))

    diff = found[0].cards[0].diff
    assert [row.kind for row in diff] == ["same", "removed", "inserted", "same", "cut"]
    assert found[0].cards[0].is_diff_cut
