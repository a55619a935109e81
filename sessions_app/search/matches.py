"""
Where the terms of a query are in a text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import NamedTuple

from sessions_app.search.query import Query, Term
from sessions_app.search.words import Word, scanner, stem, stems

# How many places of one term are found.
PLACES = 10_000


class Match(NamedTuple):
    """A place in the text, in code points, and the number of the wanted term there."""

    start: int
    end: int
    term: int


def find_matches(text: str, query: Query) -> Iterator[Match]:
    """Find the wanted terms of every group, in no order. Matches may overlap."""
    wanted = dict.fromkeys(term for group in query.groups for term in group.wanted)
    phrases = [term for term in wanted if term.kind != "substring"]
    found = _words_like(text, {part for term in phrases for part in stems(term.text)})
    for number, term in enumerate(wanted):
        if term.kind == "substring":
            places = _substrings(text, term.text)
        else:
            places = _phrases(found, term)
        for start, end in islice(places, PLACES):
            yield Match(start, end, number)


def _words_like(text: str, sought: set[str]) -> dict[int, Word]:
    """The words whose stem begins with a sought one, by their number in the text."""
    # A stem is its word's beginning, but for its last letter if it has more than one.
    # So most words need no stemming, and the others need it once, however many there are.
    beginnings = tuple(part[:-1] or part for part in sought)
    stem_beginnings = tuple(sought)
    known = {
        token: stemmed
        for token in set(scanner(text).findall(text))
        if not token.isascii() or token.lower().startswith(beginnings)
        if (stemmed := stem(token)).startswith(stem_beginnings)
    }
    if not known:
        return {}
    return {
        number: Word(match.start(), match.end(), known[match[0]])
        for number, match in enumerate(scanner(text).finditer(text))
        if match[0] in known
    }


def _phrases(found: dict[int, Word], term: Term) -> Iterator[tuple[int, int]]:
    """Find the words of a term where they stand next to each other."""
    *first, last = stems(term.text)
    for number in found:
        numbers = range(number, number + len(first) + 1)
        run = [found[at] for at in numbers if at in found]
        *before, end = (word.stem for word in run)
        goes_on = term.kind == "prefix" and end.startswith(last)
        if before == first and (goes_on or end == last):
            yield run[0].start, run[-1].end


def _substrings(text: str, part: str) -> Iterator[tuple[int, int]]:
    """Find a substring in any case."""
    folded, part = text.casefold(), part.casefold()
    # Some letters fold to more than one, as the German sharp s: then count them.
    sizes = (len(letter.casefold()) for letter in text)
    origins = None if len(folded) == len(text) else list(accumulate(sizes, initial=0))
    start = folded.find(part)
    while start >= 0:
        end = start + len(part)
        if origins is None:
            yield start, end
        else:
            yield bisect_right(origins, start) - 1, bisect_right(origins, end - 1)
        start = folded.find(part, end)
