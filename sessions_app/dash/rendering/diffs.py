"""What changed between two texts, as rows for ``parts/_diff.html``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from sessions_app.line_diffs import Stretch, stretches

Kind = Literal["same", "removed", "inserted", "gap", "cut"]

# Of longer lines, or of more that changed, no words are matched.
LONGEST_LINE = 1_000
MOST_MARKED = 400
# Rows beyond these are counted, and not shown.
MOST_ROWS = 2_000
# Two lines with less in common than this are not one line that was changed.
ALIKE = 0.35

WORDS = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class DiffRow:
    """
    A line: ``old`` and ``new`` are its numbers, ``html`` its text, with ``del`` and
    ``ins`` around the words that changed.

    A gap stands for ``count`` lines that are the same, a cut for as many rows that are
    too many to be shown.
    """

    kind: Kind
    old: int | None = None
    new: int | None = None
    html: SafeString = SafeString("")
    count: int = 0

    @property
    def number(self) -> int | None:
        return self.old if self.new is None else self.new


Pair = tuple[DiffRow | None, DiffRow | None]


def diff_rows(before: str, after: str, context: int = 3) -> list[DiffRow]:
    """
    Return what changed line by line, with so many lines around; nothing changed: [].

    Lines end as they do in a text area: a carriage return is no difference.
    """
    old, new = _lines(before), _lines(after)
    if old == new:
        return []
    found = stretches(old, new)
    rows = list(_shortened(found, old, new, context))
    if len(rows) > MOST_ROWS:
        rest = len(rows) - MOST_ROWS
        return [*rows[:MOST_ROWS], DiffRow("cut", count=rest)]
    return rows


def side_by_side(rows: Sequence[DiffRow]) -> list[Pair]:
    """Return rows in pairs, old and new; a gap stands on both sides."""
    pairs: list[Pair] = []
    removed: list[DiffRow] = []
    inserted: list[DiffRow] = []
    for row in [*rows, DiffRow("same")]:
        if row.kind == "removed":
            removed.append(row)
        elif row.kind == "inserted":
            inserted.append(row)
        else:
            for i in range(max(len(removed), len(inserted))):
                pairs.append((_at(removed, i), _at(inserted, i)))
            removed, inserted = [], []
            pairs.append((row, row))
    return pairs[:-1]


def changed_lines(rows: Sequence[DiffRow]) -> tuple[int, int]:
    """Return how many lines are inserted, and how many removed."""
    kinds = [row.kind for row in rows]
    return kinds.count("inserted"), kinds.count("removed")


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").split("\n") if text else []


def _shortened(
    found: Sequence[Stretch], old: Sequence[str], new: Sequence[str], context: int
) -> Iterator[DiffRow]:
    changed = sum(j - i for tag, i, j, _, _ in found if tag == "replace")
    for number, (tag, i, j, k, m) in enumerate(found):
        if tag != "equal":
            yield from _changed(old[i:j], new[k:m], i, k, marked=changed <= MOST_MARKED)
            continue
        head = 0 if number == 0 else context
        tail = 0 if number == len(found) - 1 else context
        hidden = (j - i) - head - tail
        if hidden <= 1:
            # A line takes no more room than the row that says it is left out.
            head, tail, hidden = j - i, 0, 0
        yield from (_same(old[i + n], i + n, k + n) for n in range(head))
        if hidden:
            yield DiffRow("gap", count=hidden)
        yield from (_same(old[j - n], j - n, m - n) for n in range(tail, 0, -1))


def _same(text: str, old: int, new: int) -> DiffRow:
    return DiffRow("same", old + 1, new + 1, conditional_escape(text))


def _changed(
    old: Sequence[str],
    new: Sequence[str],
    first_old: int,
    first_new: int,
    *,
    marked: bool,
) -> list[DiffRow]:
    """Return removed lines, then inserted ones; the words of lines alike are compared."""
    removed = [
        DiffRow("removed", old=first_old + n + 1, html=conditional_escape(text))
        for n, text in enumerate(old)
    ]
    inserted = [
        DiffRow("inserted", new=first_new + n + 1, html=conditional_escape(text))
        for n, text in enumerate(new)
    ]
    if marked:
        for n, (before, after) in enumerate(zip(old, new, strict=False)):
            if words := mark_words(before, after):
                removed[n] = replace(removed[n], html=words[0])
                inserted[n] = replace(inserted[n], html=words[1])
    return [*removed, *inserted]


def mark_words(before: str, after: str) -> tuple[SafeString, SafeString] | None:
    """Return two lines with what differs in ``del`` and ``ins``; None if all does."""
    if max(len(before), len(after)) > LONGEST_LINE:
        return None
    old, new = WORDS.findall(before), WORDS.findall(after)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.quick_ratio() < ALIKE or matcher.ratio() < ALIKE:
        return None
    left, right = SafeString(""), SafeString("")
    for tag, i, j, k, m in matcher.get_opcodes():
        gone, come = "".join(old[i:j]), "".join(new[k:m])
        if tag == "equal":
            left += conditional_escape(gone)
            right += conditional_escape(come)
            continue
        left += format_html("<del>{}</del>", gone) if gone else SafeString("")
        right += format_html("<ins>{}</ins>", come) if come else SafeString("")
    return left, right


def _at(rows: Sequence[DiffRow], index: int) -> DiffRow | None:
    return rows[index] if index < len(rows) else None
