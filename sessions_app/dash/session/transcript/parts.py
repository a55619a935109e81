"""What is in a message, as pieces that a template shows one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from sessions_app.dash.session.transcript.tools import ToolCard, Where, card_of
from sessions_app.messages import preview, print_json
from sessions_app.summaries.rendering import attachment
from sessions_app.tokens import is_tool, part_tokens

# Of a text this much is rendered at first: some screens full.
MOST_TEXT = 5_000
# Small enough to be shown in place.
MOST_IMAGE = 60_000
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
# Calls in one message beyond these are folded into one line.
MOST_CARDS = 3


@dataclass(slots=True)
class TextPiece:
    kind = "text"
    text: str
    where: Where
    tokens: int
    is_cut: bool


@dataclass(slots=True)
class ReasoningPiece:
    kind = "reasoning"
    text: str
    words: str
    where: Where
    tokens: int
    is_cut: bool


@dataclass(slots=True)
class OtherPiece:
    """A file, a source, data, or a part that we know nothing of."""

    kind = "other"
    title: str
    name: str
    json: str
    where: Where
    # A small image itself, as a data URL.
    image: str = ""


@dataclass(slots=True)
class RunPiece:
    """Several calls, one after another, folded into one line."""

    kind = "run"
    cards: list[ToolCard] = field(default_factory=list)

    @property
    def failed(self) -> int:
        return sum(1 for card in self.cards if card.failure)

    @property
    def tokens(self) -> int:
        return sum(card.tokens for card in self.cards)

    @property
    def lines(self) -> str:
        return " · ".join(card.short for card in self.cards)[:400]


Piece = TextPiece | ReasoningPiece | OtherPiece | ToolCard | RunPiece


def read_pieces(message: Mapping[str, Any], uid: str) -> list[Piece]:
    """Return the pieces of a message; one that was sent without an id has ours."""
    pieces: list[Piece] = []
    for index, part in enumerate(message["parts"]):
        if piece := _piece(part, Where(uid, index)):
            pieces.append(piece)
    return pieces


def folded(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces with long rows of calls folded into one."""
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, ToolCard):
            if not (found and isinstance(found[-1], RunPiece)):
                found.append(RunPiece())
            run = found[-1]
            assert isinstance(run, RunPiece)  # noqa: S101 (for mypy)
            run.cards.append(piece)
        else:
            found.append(piece)
    flat: list[Piece] = []
    for piece in found:
        if isinstance(piece, RunPiece) and len(piece.cards) <= MOST_CARDS:
            flat += piece.cards
        else:
            flat.append(piece)
    return flat


def is_prose(piece: Piece) -> bool:
    return isinstance(piece, TextPiece | OtherPiece)


def _piece(part: Mapping[str, Any], where: Where) -> Piece | None:
    kind = part["type"]
    if is_tool(kind):
        return card_of(dict(part), where)
    if kind == "step-start":
        return None
    text = _text(part)
    if kind == "reasoning" and text is not None:
        return _reasoning(text, part, where)
    if kind == "text" and text is not None:
        if not text.strip():
            return None
        cut = len(text) > MOST_TEXT
        return TextPiece(text[:MOST_TEXT], where, part_tokens(part), cut)
    return _other(part, where)


def _text(part: Mapping[str, Any]) -> str | None:
    for key in ("text", "reasoning"):
        if isinstance(part.get(key), str):
            return str(part[key])
    return None


def _reasoning(text: str, part: Mapping[str, Any], where: Where) -> Piece:
    cut = len(text) > MOST_TEXT
    words = preview(text, 160) if text.strip() else "kept by the provider, not readable"
    return ReasoningPiece(text[:MOST_TEXT], words, where, part_tokens(part), cut)


def _other(part: Mapping[str, Any], where: Where) -> OtherPiece:
    kind = str(part["type"])
    title = "File" if kind in ("file", "image") else kind
    url = part.get("url") or part.get("data") or part.get("image")
    media = part.get("mediaType") or part.get("mimeType")
    image = ""
    if isinstance(url, str) and media in IMAGES and len(url) <= MOST_IMAGE:
        image = url if url.startswith(f"data:{media};base64,") else ""
    return OtherPiece(title, attachment(part), _json(part), where, image)


def _json(part: Mapping[str, Any]) -> str:
    try:
        text = orjson.dumps(part, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        text = print_json(part).decode()
    return text if len(text) <= 600 else text[:600] + "…"
