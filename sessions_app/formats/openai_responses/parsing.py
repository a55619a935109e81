"""
Items of the Responses API (openai-python: types/responses), grouped into messages.

What a model said in one go - reasoning, texts, calls - is one message, for a reasoning
item and the item behind it must not be parted (formats.md 4.3, 7).
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.arguments import read_arguments
from sessions_app.formats.canonical import (
    call_part,
    content_value,
    make_message,
    opaque_part,
    reasoning_part,
    result_part,
)
from sessions_app.formats.openai_responses.contents import NAME, read_content
from sessions_app.formats.reading import (
    each_object,
    expect_list,
    expect_name,
    expect_object,
    expect_text,
    object_or_none,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message, Part

ROLES = {"developer": "system"}
# Items that a client sends, beside messages and outputs.
FROM_CLIENT = ("mcp_approval_response", "compaction_trigger", "additional_tools")


class Parser:
    def __init__(self, *, stored: bool = True) -> None:
        self.names: dict[str, str] = {}
        # False: the ids of items mean nothing, for nobody kept them.
        self.stored = stored

    def read(self, item: dict[str, Any], where: str) -> tuple[str, list[Part]]:
        """Return whose an item is, and its parts."""
        kind = item.get("type") or ("message" if "role" in item else None)
        kind = expect_name(kind, f"{where}.type")
        if kind == "message":
            role = expect_name(item.get("role"), f"{where}.role")
            parts = read_content(item.get("content"), f"{where}.content")
            self.note_id(item, parts)
            return ROLES.get(role, role), parts
        if kind in ("function_call", "custom_tool_call"):
            return "assistant", [self.read_call(item, where)]
        if kind == "reasoning":
            return "assistant", [self.read_reasoning(item, where)]
        if kind.endswith("_output") and isinstance(item.get(id_key(kind)), str):
            return "tool", [self.read_output(item, where)]
        is_call = kind.endswith("_call") or kind == "program"
        if is_call and isinstance(item.get("call_id"), str):
            return "assistant", [self.read_native(item, kind)]
        return "user" if kind in FROM_CLIENT else "assistant", [opaque_part(NAME, item)]

    def note_id(self, item: dict[str, Any], parts: list[Part]) -> None:
        has_id = isinstance(item.get("id"), str) and item.get("role") == "assistant"
        if self.stored and parts and has_id:
            found = parts[0].setdefault("providerMetadata", {})
            found.setdefault("openai", {})["itemId"] = item["id"]

    def read_call(self, item: dict[str, Any], where: str) -> Part:
        uid = expect_name(item.get("call_id"), f"{where}.call_id")
        name = expect_name(item.get("name"), f"{where}.name")
        self.names[uid] = name
        openai: dict[str, Any] = {}
        if self.stored and isinstance(item.get("id"), str):
            openai["itemId"] = item["id"]
        if item["type"] == "custom_tool_call":
            part = call_part(
                name, uid, expect_text(item.get("input"), f"{where}.input")
            )
            openai["custom"] = True
        else:
            text = expect_text(item.get("arguments"), f"{where}.arguments")
            part = call_part(name, uid, *read_arguments(text))
        return {**part, "callProviderMetadata": {"openai": openai}} if openai else part

    def read_native(self, item: dict[str, Any], kind: str) -> Part:
        """Read a call of OpenAI's own tools, of which only its item says all."""
        name = kind.removesuffix("_call")
        self.names[item["call_id"]] = name
        bare = ("type", "id", "call_id", "status")
        value = {key: each for key, each in item.items() if key not in bare}
        part = call_part(name, item["call_id"], value)
        part["callProviderMetadata"] = {"openai": {"item": item}}
        return part

    def read_output(self, item: dict[str, Any], where: str) -> Part:
        uid, output = item[id_key(item["type"])], item.get("output")
        value: Any = output
        if isinstance(output, list) and item["type"] == "function_call_output":
            value = content_value(read_content(output, f"{where}.output"))
        part = result_part(self.names.get(uid), uid, value)
        openai: dict[str, Any] = {}
        if item["type"] == "custom_tool_call_output":
            openai["custom"] = True
        elif item["type"] != "function_call_output":
            openai["item"] = item
        return (
            {**part, "resultProviderMetadata": {"openai": openai}} if openai else part
        )

    def read_reasoning(self, item: dict[str, Any], where: str) -> Part:
        texts: list[str] = []
        for key in ("summary", "content"):
            if item.get(key) is not None and not texts:
                listed = each_object(item[key], f"{where}.{key}")
                texts = [
                    expect_text(each.get("text"), f"{at}.text") for each, at in listed
                ]
        openai = {
            "itemId": text_or_none(item.get("id")),
            "reasoningEncryptedContent": text_or_none(item.get("encrypted_content")),
        }
        found = {key: value for key, value in openai.items() if value}
        return reasoning_part("\n\n".join(texts), openai=found)


def id_key(kind: str) -> str:
    """Return where an output names its call: the local shell's has only an id."""
    return "id" if kind == "local_shell_call_output" else "call_id"


def parse(payload: Any) -> list[Message]:
    """Read the ``input`` of a request: a text, or items."""
    if isinstance(payload, str):
        payload = {"role": "user", "content": payload}
    items = [payload] if isinstance(payload, dict) else payload
    return group(Parser(), each_object(items, "input"))


def parse_response(payload: Any) -> Answer:
    """
    Read a Response.

    Where it was made with ``store: false``, the ids of its items are not sent back.
    """
    payload = expect_object(payload, "response")
    listed = expect_list(payload.get("output"), "response.output")
    uid, model = text_or_none(payload.get("id")), text_or_none(payload.get("model"))
    parser = Parser(stored=payload.get("store") is not False)
    items = each_object(listed, "response.output")
    messages = group(parser, items, model=model)
    for number, message in enumerate(messages):
        if uid is not None:
            message["id"] = uid if number == 0 else f"{uid}_{number}"
    details = object_or_none(payload.get("incomplete_details")) or {}
    stop = text_or_none(details.get("reason")) or text_or_none(payload.get("status"))
    usage = object_or_none(payload.get("usage"))
    return Answer(messages, usage, model, uid, stop)


def group(
    parser: Parser, items: list[tuple[dict[str, Any], str]], **extra: Any
) -> list[Message]:
    """Return a message for each run of items of the assistant, and for each other item."""
    groups: list[tuple[str, list[Part], list[Any]]] = []
    for item, where in items:
        role, parts = parser.read(item, where)
        if groups and role == "assistant" == groups[-1][0]:
            groups[-1][1].extend(parts)
            groups[-1][2].append(item)
        else:
            groups.append((role, list(parts), [item]))
    made = []
    for role, parts, raw in groups:
        message = make_message(role=role, parts=parts, source=NAME, raw=raw, **extra)
        if not parser.stored:
            message["metadata"]["source"].pop("parts")
        made.append(message)
    return made
