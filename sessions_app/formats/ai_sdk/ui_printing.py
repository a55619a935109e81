"""
UIMessages from turns: a call and its result are one part, steps stand in one message.

Each stored message of the assistant stays a message of its own, so that its id does.
Messages of version 4 go back as they came to a client that has sent no others.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from sessions_app.formats.ai_sdk.old_messages import is_old
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import (
    Call,
    File,
    Item,
    Message,
    Opaque,
    Part,
    Reasoning,
    Result,
    Turn,
)

NOT_IN_CALL = ("state", "output", "errorText", "result", "preliminary", "approval")


class Printer:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.is_new = True

    def print(self, turns: list[Turn]) -> list[Message]:
        results = {
            id(item.call): (item, turn.origin)
            for turn in turns
            for item in turn.items
            if isinstance(item, Result)
        }
        asked = [turn for turn in turns if turn.role != "tool"]
        # Version 4 has a content beside the parts, later ones and ours do not.
        self.is_new = any("content" not in (turn.own or {}) for turn in asked)
        printed: list[Message] = []
        for origin, found in groupby(asked, key=lambda turn: turn.origin):
            group = list(found)
            own = group[0].own
            if own is not None and self.is_whole(own, group, results):
                printed.append(own)
                continue
            number = len(printed)
            uid = self.report.ids[origin] if origin >= 0 else None
            uid = uid if isinstance(uid, str) and uid else f"message_{number}"
            parts = self.print_parts(group, results)
            printed.append({"id": uid, "role": group[0].role, "parts": parts})
        return printed

    def is_whole(
        self, own: Message, group: list[Turn], results: dict[int, tuple[Result, int]]
    ) -> bool:
        """Say whether a message has all in it that is to be printed."""
        if any(turn.role != own["role"] for turn in group):
            return False
        if self.is_new and is_old(own):
            return False
        return all(
            results[id(item)][1] == turn.origin
            for turn in group
            for item in turn.items
            if isinstance(item, Call)
        )

    def print_parts(
        self, group: list[Turn], results: dict[int, tuple[Result, int]]
    ) -> list[Part]:
        parts: list[Part] = []
        for turn in group:
            if len(group) > 1:
                parts.append({"type": "step-start"})
            for item in turn.items:
                if isinstance(item, Call):
                    parts.append(print_tool(item, results[id(item)][0]))
                else:
                    parts.append(print_item(item))
        return parts


def print_item(item: Item) -> Part:
    """Return the part as it was stored, or a new one with what we know."""
    if isinstance(item, Opaque):
        value: Part = item.value
        return value
    if isinstance(item, File):
        return item.part or {
            "type": "file",
            "mediaType": item.media_type,
            "url": item.url,
        }
    if isinstance(item, Reasoning):
        stored = item.part or {}
        return {**stored, "type": "reasoning", "text": item.text}
    text = getattr(item, "text", "")
    if item.part is not None and item.part.get("text") == text:
        return item.part
    return {"type": "text", "text": text}


def print_tool(call: Call, result: Result) -> Part:
    stored = call.part or {}
    part = {key: value for key, value in stored.items() if key not in NOT_IN_CALL}
    if part.get("type") != "dynamic-tool":
        part["type"] = f"tool-{call.name}"
        part.pop("toolName", None)
    part |= {"toolCallId": call.id, "input": call.input}
    given = result.part or {}
    if result.error:
        return {**part, "state": "output-error", "errorText": str(result.value)}
    output: Any = given.get("output", given.get("result", result.value))
    return {**part, "state": "output-available", "output": output}
