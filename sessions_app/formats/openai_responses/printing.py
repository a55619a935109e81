"""
Responses items from turns. The list is flat; only ``call_id`` pairs.

Ids of items are left out, for they are only good where OpenAI stored them; reasoning
goes back where its encrypted content is there, and something follows that it led to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions_app.formats.arguments import input_text, value_text
from sessions_app.formats.media import inline, is_web, provider_id
from sessions_app.formats.openai_responses.parsing import id_key
from sessions_app.formats.rendering import join_texts, stand_in, units
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

Printed = dict[str, Any]


class Printer:
    def __init__(self, report: Report) -> None:
        self.report = report

    def print(self, turns: list[Turn]) -> list[Any]:
        items: list[Any] = []
        for own, group in units(turns):
            if own is not None:
                items += own
            else:
                items += self.print_turn(group[0])
        return items

    def print_turn(self, turn: Turn) -> list[Printed]:
        if turn.role in ("assistant", "tool"):
            return [self.print_item(item, turn) for item in turn.items]
        if turn.role == "system":
            return [{"role": "system", "content": join_texts(turn.items)}]
        return self.print_user(turn)

    def print_item(self, item: Item, turn: Turn) -> Printed:
        if isinstance(item, Call):
            return print_call(item)
        if isinstance(item, Result):
            return self.print_result(item, turn)
        if isinstance(item, Reasoning):
            return print_reasoning(item)
        if isinstance(item, Opaque):
            value: Printed = item.value
            return value
        if isinstance(item, File):
            text = stand_in(item, turn, self.report)
            return {"role": "assistant", "content": text}
        return {"role": "assistant", "content": item.text}

    def print_user(self, turn: Turn) -> list[Printed]:
        if len(turn.items) == 1 and isinstance(item := turn.items[0], Text):
            return [{"role": "user", "content": item.text}]
        parts = [
            self.print_part(item, turn)
            for item in turn.items
            if isinstance(item, Text | File)
        ]
        found = [item.value for item in turn.items if isinstance(item, Opaque)]
        # What we do not know stands alone, or was a part of a message's content.
        items = [
            each for each in found if not str(each.get("type")).startswith("input_")
        ]
        parts += [each for each in found if each not in items]
        return [*([{"role": "user", "content": parts}] if parts else []), *items]

    def print_result(self, result: Result, turn: Turn) -> Printed:
        openai = openai_of(result.provider)
        if isinstance(item := openai.get("item"), dict):
            return {**item, id_key(str(item.get("type"))): result.id}
        kind = "function_call_output"
        if result.call and openai_of(result.call.provider).get("custom") is True:
            kind = "custom_tool_call_output"
        output: Any = value_text(result.value)
        if result.files:
            parts = [self.print_part(file, turn) for file in result.files]
            if output:
                parts.insert(0, {"type": "input_text", "text": output})
            output = parts
        return {"type": kind, "call_id": result.id, "output": output}

    def print_part(self, item: Text | File, turn: Turn) -> Printed:
        if isinstance(item, Text):
            return {"type": "input_text", "text": item.text}
        kind, found = item.media_type, inline(item)
        uid = provider_id(item, "openai")
        if kind.startswith("image/") and (uid or found or is_web(item)):
            detail = openai_of(item.provider).get("imageDetail", "auto")
            target = {"file_id": uid} if uid else {"image_url": item.url}
            return {"type": "input_image", "detail": detail, **target}
        if uid:
            return {"type": "input_file", "file_id": uid}
        name = {"filename": item.filename or "document.pdf"}
        if found and found[0] == "application/pdf":
            return {"type": "input_file", "file_data": item.url, **name}
        if kind == "application/pdf" and is_web(item):
            return {"type": "input_file", "file_url": item.url}
        return {"type": "input_text", "text": stand_in(item, turn, self.report)}


def print_call(call: Call) -> Printed:
    openai = openai_of(call.provider)
    if isinstance(openai.get("item"), dict):
        return {**openai["item"], "call_id": call.id}
    found = {"call_id": call.id, "name": call.name}
    if openai.get("custom") is True:
        return {"type": "custom_tool_call", **found, "input": value_text(call.input)}
    return {"type": "function_call", **found, "arguments": input_text(call)}


def print_reasoning(item: Reasoning) -> Printed:
    openai = openai_of(item.provider)
    summary = [{"type": "summary_text", "text": item.text}] if item.text else []
    return {
        "type": "reasoning",
        "id": openai["itemId"],
        "summary": summary,
        "encrypted_content": openai["reasoningEncryptedContent"],
    }


def keeps_reasoning(item: Reasoning) -> bool:
    openai = openai_of(item.provider)
    keys = ("itemId", "reasoningEncryptedContent")
    return all(isinstance(openai.get(key), str) for key in keys)


def openai_of(provider: Provider) -> Mapping[str, Any]:
    found = provider.get("openai")
    return found if isinstance(found, dict) else {}
