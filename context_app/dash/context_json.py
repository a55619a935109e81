"""The JSON of a context as it is shown: whole where one looks, folded where it is long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from context_app.dash.json_lines import Layout, Line, Piece
from context_app.working_context import WorkingContext
from context_app.working_context.outline import Outline, nth
from sessions_app.dash.rendering.formatting import short_count
from sessions_app.messages import parse_body, print_json
from sessions_app.tokens import text_tokens

# Entries that are shown at once: at both ends, and of a fold that is opened.
FIRST, LAST, OPENED = 2, 4, 40
# Fewer than these are not worth a fold.
FEW = 3
# Parts beside the messages that are folded where they take more characters.
LONGEST_PART = 150

Group = list[Line]


class ContextJson:
    """
    ``opened`` names what is unfolded: a key of the answer, ``messages-7-354`` (the
    first of those entries), or ``message-7`` (all of one). ``whole`` folds nothing.
    """

    def __init__(
        self, context: WorkingContext, *, opened: str = "", whole: bool = False
    ) -> None:
        self.context = context
        self.opened = opened
        self.whole = whole
        self.value = parse_body(context.json)
        self.entries: list[Any] = self.value["messages"]

    @cached_property
    def outline(self) -> Outline:
        return Outline(self.context.steps)

    def groups(self) -> Iterator[Group]:
        """Yield the whole answer; each group is replaced together when it is opened."""
        yield [Line([Piece("{")])]
        last = list(self.value)[-1]
        for key in self.value:
            if key == "messages":
                yield from self._conversation()
            else:
                yield self._part(key, comma=key != last)
        yield [Line([Piece("}")])]

    def part(self) -> Iterator[Group]:
        """Yield only what is opened."""
        if self.opened in self.value and self.opened != "messages":
            yield self._part(self.opened, comma=self.opened != list(self.value)[-1])
        elif stretch := self._stretch():
            end = min(stretch.start + OPENED, stretch.stop)
            shown = set(range(stretch.start, end))
            yield from self._stretches(stretch, shown)

    def _part(self, key: str, *, comma: bool) -> Group:
        value = self.value[key]
        is_open = self.whole or self.opened == key
        if is_open or not value or len(print_json(value)) <= LONGEST_PART:
            layout = Layout("" if is_open else key)
            return list(layout.lines(value, level=1, key=key, comma=comma))
        opening, closing = "[]" if isinstance(value, list) else ("", "")
        before = Piece(f": {opening}{' ' if opening else ''}")
        after = Piece(f"{' ' if closing else ''}{closing}{',' if comma else ''}")
        pieces = [
            Piece("  "),
            Piece(print_json(key).decode(), "k"),
            before,
            Piece(self._told(key, value), "fold"),
            after,
        ]
        return [Line(pieces, key)]

    def _told(self, key: str, value: Any) -> str:
        """Return what a folded part is."""
        tokens = self.context.tokens
        if key == "tools":
            names = ", ".join(filter(None, map(_tool_name, value)))
            return f"{names or _counted(len(value), 'tool')} · {_tokens(tokens.tools)}"
        if key == "system":
            what = (
                _counted(len(value), "text block")
                if isinstance(value, list)
                else "system prompt"
            )
            return f"{what} · {_tokens(tokens.system)}"
        if key in ("repairs", "dropped"):
            return _counted(len(value), "repair" if key == "repairs" else "loss")
        return _counted(len(value), "member")

    def _conversation(self) -> Iterator[Group]:
        key = [Piece("  "), Piece('"messages"', "k")]
        if not self.entries:
            yield [Line([*key, Piece(": [],")])]
            return
        yield [Line([*key, Piece(": [")])]
        count = len(self.entries)
        shown = {*range(FIRST), *range(count - LAST, count)}
        if stretch := self._stretch():
            shown |= set(
                range(stretch.start, min(stretch.start + OPENED, stretch.stop))
            )
        yield from self._stretches(range(count), shown)
        yield [Line([Piece("  ],")])]

    def _stretches(self, within: range, shown: set[int]) -> Iterator[Group]:
        """Yield the entries that are shown, and folds for the stretches between."""
        at = within.start
        while at < within.stop:
            end = at
            while end < within.stop and end not in shown:
                end += 1
            if end - at > FEW and not self.whole:
                yield [self._fold(range(at, end))]
                at = end
            else:
                yield self._entry(at)
                at += 1

    def _entry(self, at: int) -> Group:
        name = f"message-{at}"
        fold = "" if self.whole or self.opened == name else name
        layout = Layout(fold, self.outline.summaries())
        comma = at < len(self.entries) - 1
        return list(layout.lines(self.entries[at], level=2, comma=comma))

    def _fold(self, entries: range) -> Line:
        told = [_counted(len(entries), "message")]
        first, last = self._first_place(entries.start), self._last_place(entries.stop)
        if first is not None and last is not None and first <= last:
            told.append(_tokens(self.outline.tokens(first, last)))
            low, high = self.outline.span(first, last)
            told.append(f"#{low:,} to #{high:,}")
        else:
            texts = (print_json(self.entries[at]).decode() for at in entries)
            told.append(f"about {_tokens(sum(map(text_tokens, texts)))}")
        pieces = [Piece("    "), Piece(" · ".join(told), "fold")]
        return Line(pieces, f"messages-{entries.start}-{entries.stop}")

    def _first_place(self, at: int) -> int | None:
        """Return the first step that an entry holds."""
        if self._is_near_root(at):
            place = nth(self.outline.trace(self.entries), at)
        else:
            place = self._from_end(at)
        return place.start if place else None

    def _last_place(self, stop: int) -> int | None:
        """Return the last step before an entry, or the path's last."""
        if not self._is_near_root(stop):
            place = self._from_end(stop - 1)
            return place.stop - 1 if place else None
        following = nth(self.outline.trace(self.entries), stop)
        return following.start - 1 if following else None

    def _from_end(self, at: int) -> range | None:
        backwards = reversed(self.entries)
        return nth(self.outline.trace_back(backwards), len(self.entries) - 1 - at)

    def _is_near_root(self, at: int) -> bool:
        """Say whether an entry is found sooner from the beginning, if that is the root's."""
        return self.context.strategy == "simple" and at < len(self.entries) / 2

    def _stretch(self) -> range | None:
        """Return the entries that ``opened`` names, if it names some that are there."""
        name, *numbers = self.opened.split("-")
        if not numbers or not all(_is_number(each) for each in numbers):
            return None
        start = int(numbers[0])
        if name == "message" and len(numbers) == 1:
            stop = start + 1
        elif name == "messages" and len(numbers) == 2:
            stop = min(int(numbers[1]), len(self.entries))
        else:
            return None
        return range(start, stop) if start < stop <= len(self.entries) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _tool_name(tool: Any) -> str:
    """Return a tool's name in whichever dialect it is."""
    if not isinstance(tool, dict):
        return ""
    inner = tool.get("function")
    name = inner.get("name") if isinstance(inner, dict) else tool.get("name")
    if isinstance(declared := tool.get("functionDeclarations"), Sequence):
        name = ", ".join(str(each.get("name", "")) for each in declared)
    return name if isinstance(name, str) else ""


def _counted(count: int, word: str) -> str:
    many = "losses" if word == "loss" else f"{word}s"
    return f"{count:,} {word if count == 1 else many}"


def _tokens(count: int) -> str:
    return f"{short_count(count)} tokens"
