"""
LangChain messages from turns, in the form that the first message was sent in.

Its packages for Anthropic and Gemini refuse system messages inside a conversation, so
they stand in front. Content blocks are the standard ones of version 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.arguments import input_object, value_text
from sessions_app.formats.media import inline, is_web
from sessions_app.formats.rendering import join_texts, stand_in, units
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Call, File, Item, Opaque, Result, Text, Turn

Fields = dict[str, Any]
CLASSES = {
    "human": "HumanMessage",
    "ai": "AIMessage",
    "system": "SystemMessage",
    "tool": "ToolMessage",
}


class Printer:
    def __init__(self, report: Report, turns: list[Turn]) -> None:
        self.report = report
        self.wrap = FORMS[find_form(turns)]

    def print(self, turns: list[Turn], prompts: list[str]) -> list[Any]:
        messages: list[Any] = []
        if prompts:
            content = "\n\n".join(prompts)
            messages.append(self.wrap("system", {"content": content}))
        for own, group in units(turns):
            if own is not None:
                messages.append(_whole(own))
            elif group[0].role == "tool":
                messages += self.print_results(group[0])
            else:
                messages.append(self.print_turn(group[0]))
        return messages

    def print_turn(self, turn: Turn) -> Any:
        if turn.role == "user":
            content = self.print_content(turn.items, turn)
            return self.wrap("human", {"content": content})
        if turn.role == "system":
            return self.wrap("system", {"content": join_texts(turn.items)})
        calls = [self.print_call(item, turn) for item in turn.items if is_call(item)]
        said = [item for item in turn.items if not is_call(item)]
        content = self.print_content(said, turn) if said else ""
        fields = {"content": content, "tool_calls": calls, "invalid_tool_calls": []}
        return self.wrap("ai", fields if calls else {"content": content})

    def print_call(self, call: Any, turn: Turn) -> Fields:
        value, wrapped = input_object(call)
        if wrapped:
            self.report.note("input_not_object", turn.origin, calls=call.id)
        return {"name": call.name, "args": value, "id": call.id, "type": "tool_call"}

    def print_results(self, turn: Turn) -> list[Any]:
        found = []
        for item in turn.items:
            if isinstance(item, Result):
                content: Any = value_text(item.value)
                if item.files:
                    texts: list[Item] = [Text(content, {})] if content else []
                    content = self.print_content([*texts, *item.files], turn)
                status = "error" if item.error else "success"
                fields = {"tool_call_id": item.id, "name": item.name, "status": status}
                found.append(self.wrap("tool", {"content": content, **fields}))
        return found

    def print_content(self, items: list[Item], turn: Turn) -> Any:
        if len(items) == 1 and isinstance(item := items[0], Text):
            return item.text
        blocks: list[Any] = []
        for item in items:
            if isinstance(item, Text):
                blocks.append({"type": "text", "text": item.text})
            elif isinstance(item, File):
                blocks.append(self.print_file(item, turn))
            elif isinstance(item, Opaque):
                blocks.append(item.value)
        return blocks

    def print_file(self, file: File, turn: Turn) -> Fields:
        kind = file.media_type.split("/")[0]
        kind = kind if kind in ("image", "audio", "video") else "file"
        name = {"extras": {"filename": file.filename}} if file.filename else {}
        if turn.role == "assistant":
            return {"type": "text", "text": stand_in(file, turn, self.report)}
        if found := inline(file):
            return {"type": kind, "base64": found[1], "mime_type": found[0], **name}
        if is_web(file):
            typed = {} if "*" in file.media_type else {"mime_type": file.media_type}
            return {"type": kind, "url": file.url, **typed, **name}
        return {"type": "text", "text": stand_in(file, turn, self.report)}


def is_call(item: Item) -> bool:
    return isinstance(item, Call)


def find_form(turns: list[Turn]) -> str:
    """Return the form of the first message that goes back as it was sent."""
    for turn in turns:
        if isinstance(turn.own, dict):
            if turn.own.get("type") == "constructor":
                return "constructor"
            return "fields" if "content" in turn.own else "data"
    return "data"


def _whole(own: Fields) -> Fields:
    """The fields alone of a chunk are none of a message's for ``convert_to_messages``."""
    if "content" in own and str(own.get("type")).endswith("MessageChunk"):
        kind = str(own["type"]).removesuffix("MessageChunk").lower()
        return {**own, "type": kind}
    return own


def _constructor(kind: str, fields: Fields) -> Fields:
    path = ["langchain", "schema", "messages", CLASSES[kind]]
    return {
        "lc": 1,
        "type": "constructor",
        "id": path,
        "kwargs": {**fields, "type": kind},
    }


FORMS: dict[str, Callable[[str, Fields], Fields]] = {
    "data": lambda kind, fields: {"type": kind, "data": {**fields, "type": kind}},
    "fields": lambda kind, fields: {"type": kind, **fields},
    "constructor": _constructor,
}
