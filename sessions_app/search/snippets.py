"""
The piece of a text that shows why it was found.
"""

from __future__ import annotations

import html
import re
from collections import Counter

from sessions_app.search.cjk import CJK_LETTERS
from sessions_app.search.matches import Match, find_matches
from sessions_app.search.query import Query

START, END = "\x02", "\x03"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

# How much of a text is looked at, in characters.
READ = 1_000_000
# What one token is taken to need, in characters. Most have 5 to 8 with their space.
TOKEN = 8

# What is not cut in two: a letter of CJK, or what has no space within 40 characters.
UNIT = re.compile(rf"[{CJK_LETTERS}]|[^\s{CJK_LETTERS}]{{1,40}}")
REMOVED = str.maketrans("", "", f"\0{START}{END}")


def snippet(text: str, query: Query, *, width: int = 32) -> str:
    """
    Cut out about ``width`` tokens where most of the query's terms are, then most
    matches, first in the text. What matches stands between the characters 2 and 3.

    The work is bounded: one pass over the first million characters, in which only words
    that begin like a term are stemmed, and ten thousand places of each term. So is the
    result: no more than 24 characters for each token of ``width``, whatever the text.
    """
    near = _densest(sorted(find_matches(text[:READ], query)), width * TOKEN)
    start, end = _around(text, near, width)

    pieces = [ELLIPSIS] if start else []
    at = start
    for match in near:
        # Of matches that overlap, the second goes on where the first ended.
        first, last = max(match.start, at), min(match.end, end)
        if first < last:
            pieces += [_clean(text[at:first]), START, _clean(text[first:last]), END]
            at = last
    pieces.append(_clean(text[at:end]))
    if end < len(text):
        pieces.append(ELLIPSIS)
    return "".join(pieces)


def marked_html(snippet: str) -> str:
    """The snippet as HTML, with ``mark`` elements."""
    return html.escape(snippet).replace(START, "<mark>").replace(END, "</mark>")


def _clean(text: str) -> str:
    return text.translate(REMOVED)


def _densest(matches: list[Match], reach: int) -> list[Match]:
    """The first of the stretches that hold the most terms, and then the most matches."""
    best, best_score = slice(0), (0, 0)
    terms: Counter[int] = Counter()
    right = 0
    for left, match in enumerate(matches):
        while right < len(matches) and (
            right == left or matches[right].end - match.start <= reach
        ):
            terms[matches[right].term] += 1
            right += 1
        score = len(terms), right - left
        if score > best_score:
            best, best_score = slice(left, right), score
        terms[match.term] -= 1
        if not terms[match.term]:
            del terms[match.term]
    return matches[best]


def _around(text: str, near: list[Match], width: int) -> tuple[int, int]:
    """Where to cut, so that the matches have some text before them and more behind."""
    reach = width * TOKEN
    first = near[0].start if near else 0
    last = min(max((match.end for match in near), default=0), first + reach)
    inside = list(UNIT.finditer(text, first, last))
    if len(inside) >= width:
        return first, inside[width - 1].end()

    # The units at the edges of what is looked at may be parts of larger ones.
    low, high = max(first - reach, 0), min(last + reach, len(text))
    before = list(UNIT.finditer(text, low, first))[1 if low else 0 :]
    after = list(UNIT.finditer(text, last, high))
    if high < len(text):
        after = after[:-1]

    spare = width - len(inside)
    lead = min(len(before), max(spare // 3, spare - len(after)))
    trail = min(len(after), spare - lead)
    start = before[-lead].start() if lead else first
    end = after[trail - 1].end() if trail else last
    if low == 0 and lead == len(before):
        start = 0
    if high == len(text) and trail == len(after):
        end = high
    return start, end
