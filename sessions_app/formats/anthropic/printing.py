"""
Anthropic messages from turns: user and assistant in turn, the user first.

All results of a turn stand at the beginning of the next user message. Thinking comes
first in the assistant's, with its signature, and never last. formats.md 4.3, 3 and 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app.formats.arguments import input_object, value_text
from sessions_app.formats.media import inline, inline_text, is_web, provider_id
from sessions_app.formats.rendering import stand_in, units
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import (
    Call,
    File,
    Item,
    Opaque,
    Provider,
    Reasoning,
    Result,
    Text,
    Turn,
)

Block = dict[str, Any]
IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
THINKING = ("thinking", "redacted_thinking")


@dataclass(slots=True)
class Draft:
    """A message in the making: the one that was sent, until another joins it."""

    role: str
    origin: int
    kind: str
    own: Any = None
    blocks: list[Block] | None = None

    def take_blocks(self) -> list[Block]:
        if self.blocks is None:
            content = self.own["content"]
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            self.blocks = list(content)
        return self.blocks


class Printer:
    def __init__(self, report: Report) -> None:
        self.report = report

    def print(self, turns: list[Turn]) -> list[Any]:
        drafts: list[Draft] = []
        for own, group in units(turns):
            turn, last = group[0], group[-1]
            role = "assistant" if turn.role == "assistant" else "user"
            if own is not None and len({_role(each) for each in group}) == 1:
                draft = Draft(role, turn.origin, last.role, own)
                self.add(drafts, draft, turn)
                continue
            for each in group:
                role, blocks = _role(each), self.print_turn(each)
                draft = Draft(role, each.origin, each.role, None, blocks)
                self.add(drafts, draft, each)
        if drafts and drafts[-1].role == "assistant":
            self.trim(drafts)
        return [self.finish(draft) for draft in drafts]

    def add(self, drafts: list[Draft], draft: Draft, turn: Turn) -> None:
        """Put a message behind the others, or into the last one of the same role."""
        last = drafts[-1] if drafts else None
        if last is None or last.role != draft.role:
            drafts.append(draft)
            return
        if last.kind == turn.role != "tool" and last.origin != turn.origin:
            self.report.note("merged", turn.origin)
        blocks, added = last.take_blocks(), draft.take_blocks()
        if draft.role == "assistant":
            added = self.behind(blocks, added, turn)
        blocks += added
        last.own, last.kind, last.origin = None, draft.kind, draft.origin

    def behind(
        self, before: list[Block], blocks: list[Block], turn: Turn
    ) -> list[Block]:
        """Thinking may only stand at the beginning of what is now one message."""
        if all(block["type"] in THINKING for block in before):
            return blocks
        kept = [block for block in blocks if block["type"] not in THINKING]
        for _ in range(len(blocks) - len(kept)):
            self.report.drop("reasoning", turn.origin)
        return kept

    def trim(self, drafts: list[Draft]) -> None:
        """A final assistant message, which the model continues, ends in no space."""
        last = drafts[-1]
        blocks = last.take_blocks()
        text = str(blocks[-1].get("text", ""))
        if blocks[-1]["type"] == "text" and text != text.rstrip():
            self.report.note("trailing_whitespace", last.origin)
            last.blocks = [*blocks[:-1], {**blocks[-1], "text": text.rstrip()}]
            last.own = None

    def finish(self, draft: Draft) -> Any:
        if draft.own is not None:
            return draft.own
        blocks = draft.take_blocks()
        if draft.role == "user":
            blocks.sort(key=lambda each: each["type"] != "tool_result")
        return {"role": draft.role, "content": blocks}

    def print_turn(self, turn: Turn) -> list[Block]:
        if turn.role == "assistant":
            items = sorted(turn.items, key=_place)
            return [self.print_said(item, turn) for item in items]
        return [self.print_heard(item, turn) for item in turn.items]

    def print_said(self, item: Item, turn: Turn) -> Block:
        if isinstance(item, Call):
            value, wrapped = input_object(item)
            if wrapped:
                self.report.note("input_not_object", turn.origin, calls=item.id)
            found = {"id": item.id, "name": item.name, "input": value}
            return {"type": "tool_use", **found}
        if isinstance(item, Reasoning):
            return print_thinking(item)
        if isinstance(item, File):
            return {"type": "text", "text": stand_in(item, turn, self.report)}
        return self.print_heard(item, turn)

    def print_heard(self, item: Item, turn: Turn) -> Block:
        if isinstance(item, Result):
            return self.print_result(item, turn)
        if isinstance(item, File):
            return self.print_file(item, turn)
        if isinstance(item, Opaque):
            value: Block = item.value
            return value
        return {"type": "text", "text": item.text if isinstance(item, Text) else ""}

    def print_result(self, result: Result, turn: Turn) -> Block:
        block: Block = {"type": "tool_result", "tool_use_id": result.id}
        text = value_text(result.value)
        if result.files:
            content = [self.print_file(file, turn) for file in result.files]
            if text.strip():
                content.insert(0, {"type": "text", "text": text})
            block["content"] = content
        elif text.strip():
            block["content"] = text
        elif result.error:
            # "content cannot be empty if `is_error` is true"
            block["content"] = "The tool failed and gave no reason."
        return {**block, "is_error": True} if result.error else block

    def print_file(self, file: File, turn: Turn) -> Block:
        kind = "image" if file.media_type.startswith("image/") else "document"
        found = inline(file)
        source: Block | None = None
        if uid := provider_id(file, "anthropic"):
            source = {"type": "file", "file_id": uid}
        elif found and found[0] in (IMAGES if kind == "image" else {"application/pdf"}):
            source = {"type": "base64", "media_type": found[0], "data": found[1]}
        elif is_web(file) and (kind == "image" or file.media_type == "application/pdf"):
            source = {"type": "url", "url": file.url}
        elif file.media_type == "text/plain" and (text := inline_text(file)):
            source = {"type": "text", "media_type": "text/plain", "data": text}
        if source is None:
            return {"type": "text", "text": stand_in(file, turn, self.report)}
        block = {"type": kind, "source": source}
        if kind == "document" and file.filename:
            block["title"] = file.filename
        return block


def print_thinking(item: Reasoning) -> Block:
    found = anthropic_of(item.provider)
    if isinstance(found.get("redactedData"), str):
        return {"type": "redacted_thinking", "data": found["redactedData"]}
    signature = found["signature"]
    return {"type": "thinking", "thinking": item.text, "signature": signature}


def keeps_reasoning(item: Reasoning) -> bool:
    """Thinking goes back with its signature, or not at all."""
    found = anthropic_of(item.provider)
    return any(isinstance(found.get(key), str) for key in ("signature", "redactedData"))


def anthropic_of(provider: Provider) -> Mapping[str, Any]:
    found = provider.get("anthropic")
    return found if isinstance(found, dict) else {}


def _role(turn: Turn) -> str:
    return "assistant" if turn.role == "assistant" else "user"


def _place(item: Item) -> int:
    """Thinking first, calls last."""
    return 0 if isinstance(item, Reasoning) else 2 if isinstance(item, Call) else 1
