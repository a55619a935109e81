"""JSON as lines: nothing is lost, what is long is cut, what is short stands together."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from context_app.dash.json_lines import MOST_LINES, SHOWN, Layout

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def text_of(lines):
    return "\n".join("".join(piece.text for piece in line.pieces) for line in lines)


@given(VALUES)
def test_it_is_the_same_json(value):
    assert json.loads(text_of(Layout().lines(value))) == value


def test_short_values_stand_on_one_line():
    assert text_of(Layout().lines({"a": 1, "b": [True, None]})) == (
        '{ "a": 1, "b": [true, null] }'
    )


def test_one_long_text_does_not_break_its_line():
    message = {"role": "user", "content": [{"type": "text", "text": "x" * 200}]}

    assert len(list(Layout().lines(message))) == 1


def test_what_is_long_comes_last_on_the_line_it_begins_on():
    message = {"role": "user", "content": [{"text": "x" * 80}, {"text": "y" * 80}]}

    lines = text_of(Layout().lines(message)).splitlines()

    assert lines[0] == '{ "role": "user", "content": ['
    assert lines[-1] == "] }"


def test_a_long_text_is_cut_with_how_much_is_left():
    (line,) = Layout("message-3").lines("x" * 1_000)

    assert [piece.kind for piece in line.pieces] == ["", "s", "fold", "s"]
    assert line.pieces[2].text == f"{1_000 - SHOWN} more characters"
    assert line.fold == "message-3"


def test_many_lines_are_cut_too():
    lines = list(Layout("message-3").lines(["x" * 80] * 200))

    assert len(lines) == MOST_LINES + 1
    assert lines[-1].fold == "message-3"
    assert "142 more lines" in text_of(lines[-1:])
