"""A tool's call and its result as one card."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions_app.dash.rendering.diffs import DiffRow, changed_lines, diff_rows
from sessions_app.dash.session.transcript import inputs
from sessions_app.formats.shapes import Part
from sessions_app.formats.tool_parts import ToolPart, read_state, read_tool
from sessions_app.tokens import compact_json, part_tokens

# Of an output or an input this much is shown at first.
LINES = 12
CHARS = 1_500
DIFF_ROWS = 40
INSTANT = 50
EXIT = re.compile(
    r"exit(?:ed)?(?: with)?(?: code| status)?:? (\d{1,3})\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Where:
    """A part, for who wants to see all of it: its message, and its place there."""

    uid: str
    index: int


@dataclass(slots=True)
class Excerpt:
    """The beginning of a text, and how long all of it is."""

    text: str
    lines: int
    tokens: int
    is_cut: bool


@dataclass(slots=True)
class ToolCard:
    kind = "tool"
    id: str
    name: str
    line: str
    asked: Excerpt | None = None
    got: Excerpt | None = None
    call_at: Where | None = None
    result_at: Where | None = None
    # Empty unless it failed: then in words.
    failure: str = ""
    state: str = ""
    tokens: int = 0
    milliseconds: int | None = None
    path: str = ""
    diff: list[DiffRow] = field(default_factory=list)
    inserted: int = 0
    removed: int = 0
    files: list[Any] = field(default_factory=list)

    @property
    def short(self) -> str:
        """Return what stands for it in the line of a run."""
        if self.path:
            return f"{self.name} {self.path.rsplit('/', 1)[-1]}"
        return self.line or self.name

    @property
    def is_open(self) -> bool:
        return bool(self.failure or self.diff)

    @property
    def is_diff_cut(self) -> bool:
        return bool(self.diff) and self.diff[-1].kind == "cut"

    @property
    def waits(self) -> bool:
        return not self.state and self.got is None


def card_of(part: Part, where: Where) -> ToolCard:
    """Return the card of a tool part that stands by itself; results are added later."""
    read = read_tool(part, f"{where.uid}.{where.index}")
    call = read.call or read.result
    card = ToolCard(
        id=call.id if call else "", name=call.name if call else _name(part), line=""
    )
    if read.call is not None or read.unfinished:
        _ask(card, part.get("input") if read.call is None else read.call.input, where)
        card.tokens = part_tokens(part)
    if read.unfinished:
        card.state = "still being written"
    elif read_state(part) == "approval-requested":
        card.state = "waits for approval"
    if read.result is not None:
        _settle(card, part, read, where)
    return card


def add_result(card: ToolCard, part: Part, where: Where, milliseconds: int) -> None:
    """Add the result that came in a later message."""
    card.tokens += part_tokens(part)
    # Shorter than this is the writing, not the tool.
    card.milliseconds = milliseconds if milliseconds >= INSTANT else None
    _settle(card, part, read_tool(part, card.id), where)


def call_id(part: Part) -> str:
    """Return the id of the call that a part is of; without one nothing."""
    given = part.get("toolCallId")
    return given if isinstance(given, str) else ""


def has_result(part: Part) -> bool:
    return read_tool(part, "").result is not None


def excerpt(text: str, *, from_end: bool = False) -> Excerpt:
    """Return a text as far as it is shown at first; why a tool failed stands at the end."""
    split = text.strip("\n").split("\n")
    lines = [
        line for at, line in enumerate(split) if line.strip() or split[at - 1].strip()
    ]
    shown = "\n".join(lines[-LINES:] if from_end else lines[:LINES])
    is_cut = len(lines) > LINES or len(shown) > CHARS
    shown = shown[-CHARS:] if from_end else shown[:CHARS]
    return Excerpt(shown, len(split), 0, is_cut)


def output_text(part: Part) -> str:
    """Return all that a tool gave, as a text."""
    result = read_tool(part, "").result
    if result is None:
        return ""
    return result.value if isinstance(result.value, str) else compact_json(result.value)


def change(value: Any, most: int = DIFF_ROWS) -> list[DiffRow]:
    """Return what an edit changes, line by line, cut after so many rows."""
    rows: list[DiffRow] = []
    for before, after in inputs.edits(value):
        rows += diff_rows(before, after)
    if len(rows) > most:
        return [*rows[:most], DiffRow("cut", count=len(rows) - most)]
    return rows


def _ask(card: ToolCard, value: Any, where: Where) -> None:
    card.line, card.path, card.call_at = (
        inputs.line(value),
        inputs.path_of(value),
        where,
    )
    rows = change(value, most=100_000)
    if rows:
        card.inserted, card.removed = changed_lines(rows)
        card.diff = _shortened(rows)
        return
    text = inputs.whole(value)
    if inputs.GOING.sub("", text) not in ("", "{}", card.line) and not (
        card.path and len(text) < 120
    ):
        card.asked = excerpt(text)


def _shortened(rows: Sequence[DiffRow]) -> list[DiffRow]:
    if len(rows) <= DIFF_ROWS + 1:
        return list(rows)
    return [*rows[:DIFF_ROWS], DiffRow("cut", count=len(rows) - DIFF_ROWS)]


def _settle(card: ToolCard, part: Part, read: ToolPart, where: Where) -> None:
    result = read.result
    if result is None:
        return
    card.result_at = where
    text = result.value if isinstance(result.value, str) else compact_json(result.value)
    card.files += result.files
    # Of an edit the diff says it all.
    if text and not (card.diff and not result.error):
        card.got = excerpt(text, from_end=result.error)
        card.got.tokens = part_tokens({**part, "input": None}) or 0
    card.state = "done"
    if result.error:
        card.state = read_state(part)
        code = EXIT.search(text[-400:])
        denied = card.state == "output-denied"
        card.failure = "denied" if denied else f"exit {code[1]}" if code else "failed"


def _name(part: Part) -> str:
    return str(part.get("toolName") or part["type"].removeprefix("tool-"))
