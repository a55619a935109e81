"""
JSON as lines for people: what is short stands on one line, what is long is cut.

A line is made of pieces, so that a cut can be a link, and is coloured by what a piece
is rather than by reading the text again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sessions_app.messages import print_json

# Characters of a line, of a text that is shown in part, and of one that is cut.
WIDTH = 120
SHOWN = 500
LONGEST = 700
# A text longer than this wraps, alone on its line.
LONG = 60
# Lines of one entry; what is left of it is a fold.
MOST_LINES = 60
STEP = "  "


class Piece(NamedTuple):
    """A stretch of a line: ``kind`` is k(ey), s(tring), n(umber), fold, or nothing."""

    text: str
    kind: str = ""


@dataclass(slots=True)
class Line:
    """``fold`` names what its fold opens."""

    pieces: list[Piece]
    fold: str = ""
    is_summary: bool = False


class Layout:
    """Lays out a value; ``fold`` is what the cuts in it open, without it nothing is cut."""

    def __init__(self, fold: str = "", summaries: Sequence[str] = ()) -> None:
        self.fold = fold
        # How the texts begin that stand for others, as in a JSON string.
        self.summaries = [begin for begin in summaries if begin]

    def lines(
        self, value: Any, *, level: int = 0, key: str | None = None, comma: bool = False
    ) -> Iterator[Line]:
        """Yield the lines of a value, the first with its key, the last with a comma."""
        made = self._lines(value, level, _key(key), [Piece(",")] if comma else [])
        if not self.fold:
            yield from made
            return
        for number, line in enumerate(made):
            if number == MOST_LINES:
                rest = sum(1 for _ in made) + 1
                text = f"{rest:,} more lines"
                yield Line([Piece(STEP * (level + 1)), Piece(text, "fold")], self.fold)
                return
            yield line

    def _lines(
        self, value: Any, level: int, before: list[Piece], after: list[Piece]
    ) -> Iterator[Line]:
        indent = Piece(STEP * level)
        if not isinstance(value, (dict, list)) or not value or _is_short(value):
            yield self._line([indent, *before, *self._inline(value), *after])
            return
        if isinstance(value, dict) and _is_short(
            rest := dict(list(value.items())[:-1])
        ):
            # What is long comes last: the others stand on the line that it begins on.
            key, last = list(value.items())[-1]
            if isinstance(last, (dict, list)) and last and not _is_short(last):
                opened = self._inline(rest)[:-1] if rest else [Piece("{ ")]
                between = [Piece(", ")] if rest else []
                beginning = [*before, *opened, *between, *_key(key)]
                yield from self._lines(last, level, beginning, [Piece(" }"), *after])
                return
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        yield Line([indent, *before, Piece(opening)])
        members = (
            list(value.items())
            if isinstance(value, dict)
            else [(None, each) for each in value]
        )
        for number, (name, each) in enumerate(members, 1):
            comma = [Piece(",")] if number < len(members) else []
            yield from self._lines(each, level + 1, _key(name), comma)
        yield Line([indent, Piece(closing), *after])

    def _line(self, pieces: list[Piece]) -> Line:
        is_cut = any(piece.kind == "fold" for piece in pieces)
        is_summary = bool(self.summaries) and any(
            begin in piece.text
            for piece in pieces
            if piece.kind == "s"
            for begin in self.summaries
        )
        return Line(pieces, self.fold if is_cut else "", is_summary)

    def _inline(self, value: Any) -> list[Piece]:
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, dict):
            members = [[*_key(key), *self._inline(v)] for key, v in value.items()]
            return _joined(members, "{ ", " }") if members else [Piece("{}")]
        if isinstance(value, list):
            return _joined([self._inline(each) for each in value], "[", "]")
        return [Piece(print_json(value).decode(), "n")]

    def _string(self, text: str) -> list[Piece]:
        if not self.fold or len(text) <= LONGEST:
            return [Piece(print_json(text).decode(), "s")]
        shown = print_json(text[:SHOWN]).decode()[:-1]
        more = f"{len(text) - SHOWN:,} more characters"
        return [Piece(shown, "s"), Piece(more, "fold"), Piece('"', "s")]


def _key(key: str | None) -> list[Piece]:
    return [] if key is None else [Piece(print_json(key).decode(), "k"), Piece(": ")]


def _joined(members: list[list[Piece]], opening: str, closing: str) -> list[Piece]:
    pieces = [Piece(opening)]
    for number, member in enumerate(members):
        pieces += [Piece(", "), *member] if number else member
    return [*pieces, Piece(closing)]


def _is_short(value: Any) -> bool:
    """Say whether a value fits on a line, or would but for one long text."""
    room, texts = _measure(value, WIDTH, 0)
    return room >= 0 and texts <= 1


def _measure(value: Any, room: int, texts: int) -> tuple[int, int]:
    """Return what of the room is left beside a value, and how many long texts it has."""
    if isinstance(value, str):
        return (
            (room, texts + 1) if len(value) > LONG else (room - len(value) - 2, texts)
        )
    if isinstance(value, dict):
        for key, each in value.items():
            room, texts = _measure(each, room - len(key) - 6, texts)
            if room < 0 or texts > 1:
                break
        return room, texts
    if isinstance(value, list):
        for each in value:
            room, texts = _measure(each, room - 4, texts)
            if room < 0 or texts > 1:
                break
        return room, texts
    return room - 6, texts
