"""
Which stored messages the entries of a rendered conversation come from.

A dialect joins and parts messages, and does not say which. Ids, calls and first words
do: they are looked for in order, from either end, and an entry without any has no place.
Of a long path only what is asked for is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sessions_app.messages import parse_body, print_json
from sessions_app.services.forest.history import Step
from sessions_app.services.forest.totals import stretch_tokens

# What is looked for of a text, and how short it may be to tell anything.
WORDS = 60
LEAST_WORDS = 12
# Messages that may have been left out between two that are found.
AHEAD = 40

Place = range | None
Holds = Callable[[bytes, int], bool]


class Outline:
    """The steps of a whole path, root first, by their places from 0."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self._marks: dict[int, tuple[bytes, ...]] = {}
        # The number of the first message that each stands for, and of what follows all.
        self.numbers = [1]
        for step in steps:
            length = step.compaction.length if step.compaction else 1
            self.numbers.append(self.numbers[-1] + length)

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return the numbers of the first and the last message of a stretch."""
        return self.numbers[first], self.numbers[last + 1] - 1

    def tokens(self, first: int, last: int) -> int:
        """Return what a stretch takes, with summaries for what they cover."""
        covers = [each.compaction for each in self.steps[first : last + 1]]
        saved = sum(each.tokens_before - each.tokens_after for each in covers if each)
        begin = self.steps[first].compaction
        top = begin.first_id if begin else self.steps[first].message
        return stretch_tokens(top, self.steps[last].message) - saved

    def numbers_of(self, uids: Iterable[str]) -> dict[str, int]:
        """Return the numbers of messages, by their ids."""
        sought = {uid: print_json(uid).decode() for uid in uids}
        found: dict[str, int] = {}
        for place, step in enumerate(self.steps):
            for uid, printed in sought.items():
                if printed in step.body and parse_body(step.body)["id"] == uid:
                    found[uid] = self.numbers[place]
        return found

    def summaries(self) -> list[str]:
        """Return how the texts of summaries begin, as in a JSON string."""
        covers = [each.compaction for each in self.steps if each.compaction]
        return [_begin(each.summary) for each in covers]

    def trace(self, entries: Iterable[Any]) -> Iterator[Place]:
        """Yield for each entry, from the first on, the places that it holds."""
        return _trace(entries, len(self.steps), self._holds)

    def trace_back(self, entries: Iterable[Any]) -> Iterator[Place]:
        """Yield the same for entries from the last on, which the path ends with."""
        count = len(self.steps)
        for found in _trace(
            entries, count, lambda text, at: self._holds(text, count - 1 - at)
        ):
            yield found and range(count - found.stop, count - found.start)

    def _holds(self, text: bytes, place: int) -> bool:
        if place not in self._marks:
            self._marks[place] = _marks(parse_body(self.steps[place].body))
        return any(mark in text for mark in self._marks[place])


def nth(places: Iterator[Place], number: int) -> Place:
    return next(islice(places, number, None), None)


def _trace(entries: Iterable[Any], count: int, holds: Holds) -> Iterator[Place]:
    at = 0
    for entry in entries:
        text = print_json(entry)
        near = range(at, min(at + AHEAD, count))
        start = next((place for place in near if holds(text, place)), None)
        if start is None:
            yield None
            continue
        end = start + 1
        while end < count and holds(text, end):
            end += 1
        yield range(start, end)
        # A message may be parted into several entries.
        at = end - 1


def _marks(message: dict[str, Any]) -> tuple[bytes, ...]:
    marks = [b'"id":' + print_json(message["id"])]
    for part in message["parts"]:
        call = part.get("toolCallId")
        if isinstance(call, str) and call:
            marks.append(print_json(call))
        words = part.get("text")
        if isinstance(words, str) and len(words) >= LEAST_WORDS:
            marks.append(_begin(words).encode())
    return tuple(marks)


def _begin(text: str) -> str:
    return print_json(text[:WORDS])[1:-1].decode()
