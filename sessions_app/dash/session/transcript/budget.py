"""
How much of the texts a page holds at first: all of the newest, less of the older.

Each row keeps its beginning, and what was cut is asked for in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from sessions_app.dash.rendering.diffs import DiffRow
from sessions_app.dash.session.transcript.parts import (
    OtherPiece,
    Piece,
    ReasoningPiece,
    RunPiece,
    TextPiece,
)
from sessions_app.dash.session.transcript.rows import Row
from sessions_app.dash.session.transcript.tools import Excerpt, ToolCard

BUDGET = 12_000
# What is left of a text, a tool's output and a diff once that is spent.
TEXT = 320
OUTPUT = 120
DIFF = 4
# What a row of a diff takes beside its text.
DIFF_ROW = 60
# What a row, a card and a text beneath it take beside their words and ids; and what
# highlighting makes of code.
ROW = 640
CARD = 560
EXCERPT = 230
CODE = 3


class Budget:
    """What may still be shown; rows are taken from the newest up."""

    def __init__(self, characters: int = BUDGET) -> None:
        self.left = characters

    def shorten(self, rows: Iterable[Row]) -> None:
        for row in rows:
            for piece in row.pieces:
                self._shorten(piece)

    def _shorten(self, piece: Piece) -> None:
        if isinstance(piece, TextPiece):
            kept = self._take(len(piece.text), TEXT)
            piece.is_cut |= kept < len(piece.text)
            piece.text = piece.text[:kept]
        elif isinstance(piece, ReasoningPiece):
            kept = self._take(len(piece.text), OUTPUT)
            piece.is_cut |= kept < len(piece.text)
            piece.text = piece.text[:kept]
        elif isinstance(piece, ToolCard):
            self._shorten_card(piece)
        elif isinstance(piece, OtherPiece):
            piece.json = piece.json[: self._take(len(piece.json), OUTPUT)]
        elif isinstance(piece, RunPiece):
            for card in piece.cards:
                self._shorten_card(card)

    def _shorten_card(self, card: ToolCard) -> None:
        self._shorten_excerpt(card.asked, from_end=False)
        self._shorten_excerpt(card.got, from_end=bool(card.failure))
        size = sum(DIFF_ROW + len(row.html) for row in card.diff)
        if size > self._take(size, DIFF) and len(card.diff) > DIFF + 1:
            card.diff = _beginning(card.diff)

    def _shorten_excerpt(self, excerpt: Excerpt | None, *, from_end: bool) -> None:
        if excerpt is None:
            return
        kept = self._take(len(excerpt.text), OUTPUT)
        if kept < len(excerpt.text):
            excerpt.is_cut = True
            excerpt.text = excerpt.text[-kept:] if from_end else excerpt.text[:kept]

    def _take(self, size: int, floor: int) -> int:
        """Return how much of something to show: all, or what is left, or the floor."""
        kept = size if size <= max(self.left, floor) else max(self.left, floor)
        self.left -= kept
        return kept


def weight(rows: Iterable[Row]) -> int:
    """Return about how many bytes rows are on a page."""
    return sum(_weight_of_row(row) for row in rows)


def _weight_of_row(row: Row) -> int:
    total = ROW + 3 * len(row.uid) + (ROW if row.chip else 0)
    for piece in row.pieces:
        if isinstance(piece, TextPiece):
            times = CODE if "```" in piece.text else 1
            total += 100 + times * len(escape(piece.text))
        elif isinstance(piece, ReasoningPiece):
            total += CARD + len(escape(piece.text)) + len(piece.words)
        elif isinstance(piece, ToolCard):
            total += _weight_of_card(piece)
        elif isinstance(piece, OtherPiece):
            total += EXCERPT + len(escape(piece.json)) + len(piece.image)
    return total


def _weight_of_card(card: ToolCard) -> int:
    total = CARD + len(escape(card.line))
    for excerpt in (card.asked, card.got):
        if excerpt:
            total += EXCERPT + len(escape(excerpt.text))
    return total + sum(DIFF_ROW + len(row.html) for row in card.diff)


def _beginning(diff: list[DiffRow]) -> list[DiffRow]:
    """Return the first rows of a diff that say something."""
    changed = (at for at, row in enumerate(diff) if row.kind in ("removed", "inserted"))
    start = max(next(changed, 0) - 1, 0)
    shown = diff[start : start + DIFF]
    count = sum(row.count or 1 for row in diff) - len(shown)
    return [*shown, DiffRow("cut", count=count)]
