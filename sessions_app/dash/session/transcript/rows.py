"""Rows of a transcript from messages: calls joined with their results, runs folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from sessions_app.dash.session.transcript.notes import Note, later, note_of
from sessions_app.dash.session.transcript.parts import (
    Piece,
    ReasoningPiece,
    RunPiece,
    folded,
    is_prose,
    read_pieces,
)
from sessions_app.dash.session.transcript.tools import (
    ToolCard,
    Where,
    add_result,
    call_id,
    has_result,
)
from sessions_app.messages import parse_body
from sessions_app.models.fields import from_millis
from sessions_app.services.browsing.siblings import Entry, Place
from sessions_app.tokens import is_tool

Kind = Literal["message", "tool", "run", "system"]


@dataclass(frozen=True, slots=True)
class Chip:
    """Where a path might have gone on otherwise: the place of a message among several."""

    uids: Sequence[str]
    index: int
    parent: int

    @property
    def position(self) -> int:
        return self.index + 1

    @property
    def count(self) -> int:
        return len(self.uids)

    @property
    def previous(self) -> str:
        return self.uids[self.index - 1] if self.index else ""

    @property
    def following(self) -> str:
        return self.uids[self.index + 1] if self.position < self.count else ""

    @property
    def other(self) -> str:
        """Return the one to compare with: the next, or before the first."""
        return self.following or self.previous


@dataclass(slots=True)
class Row:
    """One message, or several of which the others are results and further calls."""

    kind: Kind
    uid: str
    number: int
    role: str
    created_at: datetime
    tokens: int
    seq: int
    last_number: int = 0
    pieces: list[Piece] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    chip: Chip | None = None
    later: str = ""
    is_selected: bool = False
    is_head: bool = False
    # The path ends here.
    is_leaf: bool = False

    @property
    def cards(self) -> list[ToolCard]:
        return [piece for piece in self.pieces if isinstance(piece, ToolCard)]

    @property
    def run(self) -> RunPiece:
        return RunPiece(self.cards)

    @property
    def shown(self) -> list[Piece]:
        """Return its pieces as a message shows them."""
        return folded(self.pieces)


class Rows:
    """Rows in the making: messages are added in the order of their path."""

    def __init__(
        self,
        *,
        siblings: Mapping[int, Sequence[str]],
        labels: Mapping[int, str],
        selected: str | None,
        head: int | None,
        leaf: int | None,
    ) -> None:
        self.siblings = siblings
        self.labels = labels
        self.selected = selected
        self.head = head
        self.leaf = leaf
        self.rows: list[Row] = []
        self._calls: dict[str, tuple[ToolCard, Row, Place]] = {}
        self._before: Place | None = None

    def add(self, entry: Entry) -> None:
        place = entry.place
        message = parse_body(entry.body)
        rest = self._join(message, place)
        pieces = read_pieces({"parts": rest}, place.uid)
        if len(rest) < len(message["parts"]) and not any(map(is_prose, pieces)):
            self._before = place
            return
        row = self._row(message, place, pieces)
        for piece in pieces:
            if isinstance(piece, ToolCard) and piece.id:
                self._calls[piece.id] = (piece, row, place)
        self._before = place

    def _join(self, message: Mapping[str, Any], place: Place) -> list[Any]:
        """Give results to the cards of their calls, and return the other parts."""
        if place.id in self.siblings:
            return list(message["parts"])
        rest: list[Any] = []
        row: Row | None = None
        for index, part in enumerate(message["parts"]):
            known = self._calls.get(call_id(part)) if is_tool(part["type"]) else None
            if known is None or known[0].result_at or not has_result(part):
                rest.append(part)
                continue
            card, row, asked = known
            where = Where(place.uid, index)
            add_result(card, part, where, place.created_at - asked.created_at)
        if row is not None:
            self._mark(row, place)
            row.last_number = place.depth + 1
        return rest

    def _row(
        self, message: Mapping[str, Any], place: Place, pieces: list[Piece]
    ) -> Row:
        kind = _kind(place.role, pieces)
        last = self.rows[-1] if self.rows else None
        alone = place.id in self.siblings or place.uid == self.selected
        if last and kind == last.kind == "tool" and not alone and not last.is_selected:
            row = last
            row.pieces += pieces
            row.tokens += place.tokens
        else:
            row = Row(
                kind=kind,
                uid=place.uid,
                number=place.depth + 1,
                role=place.role,
                created_at=from_millis(place.created_at),
                tokens=place.tokens,
                seq=place.seq,
                pieces=pieces,
                later=later(self._before.created_at, place.created_at)
                if self._before
                else "",
            )
            if several := self.siblings.get(place.id):
                row.chip = Chip(several, several.index(place.uid), place.depth)
            self.rows.append(row)
        row.last_number = place.depth + 1
        self._mark(row, place)
        if note := note_of(message.get("metadata")):
            row.notes.append(note)
        return row

    def _mark(self, row: Row, place: Place) -> None:
        """Note what is said of a message where its row shows it."""
        row.is_selected |= place.uid == self.selected
        row.is_head |= place.id == self.head
        row.is_leaf |= place.id == self.leaf
        if label := self.labels.get(place.id):
            row.labels.append(label)

    def done(self) -> list[Row]:
        for row in self.rows:
            if row.kind == "tool" and len(row.cards) > 1:
                row.kind = "run"
        return self.rows


def _kind(role: str, pieces: Sequence[Piece]) -> Kind:
    if role in ("system", "developer"):
        return "system"
    calls = any(isinstance(piece, ToolCard) for piece in pieces)
    if calls and all(isinstance(piece, ToolCard | ReasoningPiece) for piece in pieces):
        return "tool"
    return "message"


def build_rows(
    entries: Sequence[Entry],
    *,
    siblings: Mapping[int, Sequence[str]],
    labels: Mapping[int, str],
    selected: str | None = None,
    head: int | None = None,
    leaf: int | None = None,
) -> list[Row]:
    rows = Rows(
        siblings=siblings, labels=labels, selected=selected, head=head, leaf=leaf
    )
    for entry in entries:
        rows.add(entry)
    return rows.done()
