"""
From stored messages to turns: one message may be several steps of calls and results.

A result may stand in the part of its call (AI SDK UI), or in a later message, most
often of the role "tool" (chat formats, Pi). Both become a turn of the role tool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.canonical import call_id, own_form
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import (
    File,
    Item,
    Message,
    Opaque,
    Part,
    Reasoning,
    Result,
    Role,
    Rules,
    Text,
    Turn,
)
from sessions_app.formats.tool_parts import read_tool
from sessions_app.messages import RESERVED_PREFIX
from sessions_app.tokens import is_tool

ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}


def flatten(messages: list[Message], rules: Rules, report: Report) -> list[Turn]:
    """Return the turns of a conversation, in order and not yet repaired."""
    turns: list[Turn] = []
    for index, message in enumerate(messages):
        own = own_form(message, rules.format)
        role = ROLES.get(message["role"])
        if role is None:
            report.note("unknown_role", index, roles=message["role"])
            role = "user"
        is_last = index == len(messages) - 1
        reader = Reader(message, index, own, rules, report, is_last=is_last)
        reader.read(role)
        turns += reader.turns
    return turns


class Reader:
    """Reads the parts of one message."""

    def __init__(
        self,
        message: Message,
        index: int,
        own: Any,
        rules: Rules,
        report: Report,
        *,
        is_last: bool,
    ) -> None:
        self.uid = str(message.get("id") or f"m{index}")
        self.parts = message["parts"]
        self.index = index
        self.own = own
        self.rules = rules
        self.report = report
        self.is_last = is_last
        self.turns: list[Turn] = []
        self.items: list[Item] = []
        self.results: list[Item] = []
        self.summary = is_summary(message) and rules.summary_as_user
        if self.summary:
            self.own = None

    def read(self, role: Role) -> None:
        if self.summary:
            role = "user"
        if role == "assistant":
            self.read_assistant()
        else:
            self.read_other(role)

    def read_assistant(self) -> None:
        """Read steps: what follows a settled call is a new answer of the model."""
        for place, part in enumerate(self.parts):
            kind = part["type"]
            if kind == "step-start":
                self.close_step()
            elif is_tool(kind):
                self.read_call(part, place)
            elif item := self.read_item(part):
                if self.results:
                    self.close_step()
                self.items.append(item)
        self.close_step()

    def close_step(self) -> None:
        self.add("assistant", self.items)
        self.add("tool", self.results)
        self.items, self.results = [], []

    def read_call(self, part: Part, place: int) -> None:
        if self.is_open_approval(part):
            self.items.append(Opaque(part, part))
            return
        found = read_tool(part, call_id(self.uid, place))
        if found.unfinished:
            self.report.note("unfinished", self.index)
        if self.rules.format == "ai-sdk" and not found.is_clean:
            self.report.touched.add(self.index)
        if found.call:
            if self.results and not isinstance(self.items[-1], type(found.call)):
                self.close_step()
            self.items.append(found.call)
        if found.result:
            self.results.append(found.result)

    def is_open_approval(self, part: Part) -> bool:
        """Say whether a user interface still waits here for its user's answer."""
        state = part.get("state")
        waits = state in ("approval-requested", "approval-responded")
        return waits and self.is_last and self.rules.format == "ai-sdk"

    def read_other(self, role: Role) -> None:
        """Read what a user, a system or a tool said; results come first."""
        for part in self.parts:
            if is_tool(part["type"]):
                if self.items or self.rules.format == "ai-sdk":
                    # Anthropic wants results before all else; a UI has them elsewhere.
                    self.report.touched.add(self.index)
                self.read_result(part)
            elif item := self.read_item(part):
                if isinstance(item, File) and role == "tool" and self.results:
                    self.attach(item)
                else:
                    self.items.append(item)
        self.add("tool", self.results)
        if self.items and role == "tool":
            self.report.touched.add(self.index)
        self.add("user" if role == "tool" else role, self.items)

    def read_result(self, part: Part) -> None:
        found = read_tool(part, "")
        if found.result:
            found.result.generated = not part.get("toolCallId")
            self.results.append(found.result)
        elif found.unfinished:
            self.report.note("unfinished", self.index)
        else:
            self.report.note("orphan_result", self.index, calls=part.get("toolCallId"))

    def attach(self, file: File) -> None:
        result = self.results[-1]
        if isinstance(result, Result):
            result.files.append(file)

    def add(self, role: Role, items: list[Item]) -> None:
        if items or not (self.turns or role == "tool" or self.parts):
            turn = Turn(role, items, self.index, self.own, self.summary)
            self.turns.append(turn)

    def read_item(self, part: Part) -> Item | None:
        kind = part["type"]
        if part.get("state") == "streaming":
            self.report.note("unfinished", self.index)
            return None
        if reader := ITEMS.get(kind):
            item = reader(part)
            if item is None:
                self.report.note("malformed", self.index, types=kind)
            return item
        if kind == f"data-{self.rules.format}":
            return Opaque(part.get("data"), part)
        if self.rules.format == "ai-sdk":
            return Opaque(part, part)
        if kind not in ("step-start", "source-url", "source-document"):
            self.report.drop("part", self.index, types=kind)
        return None


def is_summary(message: Message) -> bool:
    """Say whether a message stands for a compaction."""
    return str(message.get("id", "")).startswith(RESERVED_PREFIX)


def provider_of(part: Part) -> dict[str, Any]:
    """Return what providers noted on a part, by the name of the provider."""
    found = part.get("providerMetadata") or part.get("providerOptions")
    return found if isinstance(found, dict) else {}


def _read_text(part: Part) -> Text | None:
    text = part.get("text")
    return Text(text, provider_of(part), part) if isinstance(text, str) else None


def _read_reasoning(part: Part) -> Reasoning | None:
    text = part.get("text", part.get("reasoning", ""))
    if not isinstance(text, str):
        return None
    return Reasoning(text, provider_of(part), part)


def _read_file(part: Part) -> File | None:
    url, kind = part.get("url"), part.get("mediaType")
    if not isinstance(url, str) or not isinstance(kind, str):
        return None
    name = part.get("filename")
    name = name if isinstance(name, str) else None
    return File(kind, url, name, provider_of(part), part)


ITEMS: dict[str, Callable[[Part], Item | None]] = {
    "text": _read_text,
    "reasoning": _read_reasoning,
    "file": _read_file,
}
