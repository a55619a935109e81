"""What a write changed in a few words, and who wrote it."""

from __future__ import annotations

import pytest

from context_app.changes import MOST_LINES, count_lines, in_words
from context_app.dash.writers import who


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (None, "a", "First version"),
        ("a", "a", "Text unchanged"),
        ("a", "", "Emptied"),
        ("", "a\nb", "2 lines added"),
        ("a\nb", "a\nc", "1 line changed"),
        ("a\nb\nc", "a\nx", "1 line changed, 1 removed"),
        ("a\nb", "a\nb\nc", "1 line added"),
    ],
)
def test_a_change_in_words(before: str | None, after: str, words: str):
    assert in_words(before, after) == words


def test_long_texts_are_not_compared_line_by_line():
    old = "\n".join(f"old {number}" for number in range(MOST_LINES + 2))
    assert count_lines("same\n" + old, f"same\n{old[:-1]}!") == (1, 0, 0)
    new = "\n".join(reversed(old.split("\n")))
    assert count_lines(old, new) == (MOST_LINES + 2, 0, 0)


@pytest.mark.parametrize(
    ("author", "words"),
    [
        ("key mh_1a2b", "API key mh_1a2b"),
        ("operator ada", "operator ada"),
        ("tool set_context, key mh_1", "set_context"),
        ("tool x, key mh_1, approved by operator ada", "x, approved by operator ada"),
        ("fork of trip", "fork of trip"),
        ("fork of 01890a5d-ac96-774b-bcce-b302099a8057", "fork of 099a8057"),
        ("template", "copied from a template"),
        ("memoryhub", "memoryhub"),
    ],
)
def test_who_wrote(author: str, words: str):
    assert who(author) == words
