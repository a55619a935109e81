from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context_app.diffs import diff
from sessions_app.line_diffs import MOST_LINES


def test_it_works():
    assert diff("a\nb\nc", "a\nB\nc").split("\n") == [
        "--- before",
        "+++ after",
        "@@ -1,3 +1,3 @@",
        " a",
        "-b",
        "+B",
        " c",
    ]


def test_nothing_changed():
    assert diff("a\nb", "a\nb") == ""


def test_from_nothing():
    assert "+a" in diff("", "a").split("\n")


def test_long_texts_are_not_matched_line_by_line():
    old = "\n".join(f"old {number}" for number in range(MOST_LINES + 1))
    new = "\n".join(f"new {number}" for number in range(MOST_LINES + 1))

    lines = diff(f"same\n{old}\nend", f"same\n{new}\nend").split("\n")

    assert lines[2] == f"@@ -2,{MOST_LINES + 1} +2,{MOST_LINES + 1} @@"
    assert sum(line.startswith("-old") for line in lines) == MOST_LINES + 1
    assert "same" not in {line[1:] for line in lines}


texts = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map("\n".join)


@given(texts, texts)
def test_a_diff_holds_every_line_that_went_or_came(old, new):
    changed = [line for line in diff(old, new).split("\n")[2:] if line[:1] in "+-"]

    assert (changed == []) == (old == new)
    for line in set(old.split("\n")) - set(new.split("\n")):
        assert f"-{line}" in changed
