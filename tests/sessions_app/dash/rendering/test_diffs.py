"""Diffs as rows: what they show, fold, mark and escape."""

from __future__ import annotations

from django.template.loader import render_to_string

from sessions_app.dash.rendering.diffs import (
    MOST_ROWS,
    DiffRow,
    changed_lines,
    diff_rows,
    side_by_side,
)
from sessions_app.line_diffs import MOST_LINES


def drawn(rows: list[DiffRow]) -> list[str]:
    signs = {"removed": "-", "inserted": "+", "same": " "}
    return [
        f"{row.number}{signs[row.kind]}{row.html}"
        if row.kind in signs
        else f"{row.kind} {row.count}"
        for row in rows
    ]


def test_texts_that_are_the_same_have_no_rows():
    assert diff_rows("a\nb", "a\r\nb") == []


def test_a_changed_line_has_its_changed_words_marked():
    rows = diff_rows("- Token for <b> is toolText", "- Token for <b> is toolTitle")
    assert drawn(rows) == [
        "1-- Token for &lt;b&gt; is <del>toolText</del>",
        "1+- Token for &lt;b&gt; is <ins>toolTitle</ins>",
    ]


def test_lines_with_nothing_in_common_are_not_marked():
    assert drawn(diff_rows("alpha beta", "42!")) == ["1-alpha beta", "1+42!"]


def test_an_empty_text_has_no_lines():
    assert drawn(diff_rows("", "a\nb")) == ["1+a", "2+b"]
    assert drawn(diff_rows("a\nb", "")) == ["1-a", "2-b"]


def test_gaps_are_counted_and_a_gap_of_one_is_shown():
    before = "\n".join(f"l{n}" for n in range(20))
    after = before.replace("l10", "new").replace("l19", "end")
    assert drawn(diff_rows(before, after, context=2)) == [
        "gap 8", "9 l8", "10 l9", "11-l10", "11+new", "12 l11", "13 l12",
        "gap 4", "18 l17", "19 l18", "20-l19", "20+end",
    ]  # fmt: skip
    assert drawn(diff_rows("a\nb\nc\nd", "a\nb\nc\nx", context=2))[0] == "1 a"


def test_stretches_of_many_lines_are_cut_in_the_end():
    many = "\n".join(f"{n}" for n in range(MOST_LINES + 5))
    rows = diff_rows("first\nx", "first\n" + many)
    assert len(rows) == MOST_ROWS + 1
    assert rows[-1].kind == "cut"
    assert rows[-1].count == MOST_LINES + 5 + 2 - MOST_ROWS


def test_side_by_side_keeps_the_order_and_fills_the_shorter_side():
    pairs = side_by_side(diff_rows("a\nb\nc", "a\nx\ny\nc"))
    assert [
        (left and str(left.html), right and str(right.html)) for left, right in pairs
    ] == [("a", "a"), ("b", "x"), (None, "y"), ("c", "c")]


def test_inserted_and_removed_lines_are_counted():
    assert changed_lines(diff_rows("a\nb", "a\nc\nd")) == (2, 1)


def test_both_views_escape_and_say_what_was_left_out():
    rows = diff_rows("\n".join("abcdefghij"), "\n".join("abcdefghi") + "\n<script>")
    for shown in ({"rows": rows}, {"pairs": side_by_side(rows)}):
        page = render_to_string("parts/_diff.html", {"title": 'v1 "x"', **shown})
        assert "<script>" not in page
        assert "&lt;script&gt;" in page
        assert "6 lines unchanged" in page
        assert 'aria-label="v1 &quot;x&quot;"' in page
