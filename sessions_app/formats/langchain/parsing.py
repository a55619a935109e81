"""
LangChain messages (langchain-core: messages), in each of the three forms they come in:
``{type, data}`` of messages_to_dict, the fields alone, and the constructor of dumpd.
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.arguments import read_arguments
from sessions_app.formats.canonical import (
    call_part,
    content_value,
    make_message,
    result_part,
)
from sessions_app.formats.langchain.contents import NAME, read_content
from sessions_app.formats.openai_chat.parsing import Parser as ChatParser
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_list,
    expect_name,
    expect_object,
    fail,
    object_or_none,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message, Part

ROLES = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}


class Parser:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def read(self, raw: dict[str, Any], where: str, **extra: Any) -> Message:
        kind, fields = read_form(raw, where)
        if kind == "chat":
            kind = expect_name(fields.get("role"), f"{where}.role")
        role = ROLES.get(kind, kind)
        content = read_content(fields.get("content"), f"{where}.content")
        if role == "tool":
            parts = [self.read_result(fields, content, where)]
        elif role == "assistant":
            parts = [*content, *self.read_calls(fields, where)]
        else:
            parts = content
        uid = extra.pop("uid", None) or text_or_none(fields.get("id"))
        return make_message(
            role=role, parts=parts, source=NAME, raw=raw, uid=uid, **extra
        )

    def read_result(
        self, fields: dict[str, Any], content: list[Part], where: str
    ) -> Part:
        uid, name = fields.get("tool_call_id") or None, text_or_none(fields.get("name"))
        if uid is not None:
            expect_name(uid, f"{where}.tool_call_id")
        elif not name:
            raise fail(f"{where}.tool_call_id", "must name the call it answers")
        error = fields.get("status") == "error"
        name = name or self.names.get(str(uid))
        return result_part(name, uid, content_value(content), error=error)

    def read_calls(self, fields: dict[str, Any], where: str) -> list[Part]:
        """Read the calls; those that OpenAI's own form repeats are read only once."""
        calls = fields.get("tool_calls") or []
        parts = [
            self.read_call(call, at)
            for call, at in each_object(calls, f"{where}.tool_calls")
        ]
        broken = fields.get("invalid_tool_calls") or []
        for call, _ in each_object(broken, f"{where}.invalid_tool_calls"):
            name = text_or_none(call.get("name")) or "unknown"
            self.names[str(call.get("id"))] = name
            text = text_or_none(call.get("args")) or ""
            parts.append(call_part(name, call.get("id"), *read_arguments(text)))
        others = object_or_none(fields.get("additional_kwargs")) or {}
        if not parts and (others.get("tool_calls") or others.get("function_call")):
            chat = ChatParser(NAME)
            parts = chat.read_calls(others, f"{where}.additional_kwargs")
            self.names |= chat.names
        return parts

    def read_call(self, call: dict[str, Any], where: str) -> Part:
        name = expect_name(call.get("name"), f"{where}.name")
        self.names[str(call.get("id"))] = name
        arguments = call.get("args")
        arguments = {} if arguments is None else arguments
        return call_part(
            name, call.get("id"), expect_object(arguments, f"{where}.args")
        )


def read_form(raw: dict[str, Any], where: str) -> tuple[str, dict[str, Any]]:
    """Return a message's type and its fields, whichever form it has."""
    if raw.get("type") == "constructor":
        path = expect_list(raw.get("id"), f"{where}.id")
        fields = expect_object(raw.get("kwargs"), f"{where}.kwargs")
        kind = str(fields.get("type") or (path[-1] if path else ""))
    else:
        kind = expect_name(raw.get("type") or raw.get("role"), f"{where}.type")
        fields = raw
        if "data" in raw and "content" not in raw:
            fields = expect_object(raw["data"], f"{where}.data")
    kind = kind.removesuffix("Chunk")
    if kind.endswith("Message"):
        kind = kind.removesuffix("Message").lower()
    return kind, fields


def parse(payload: Any) -> list[Message]:
    parser = Parser()
    listed = each_object(as_list(payload), "messages")
    return [parser.read(raw, where) for raw, where in listed]


def parse_response(payload: Any) -> Answer:
    """Read the AIMessage that a chat model returned."""
    payload = expect_object(payload, "response")
    _, fields = read_form(payload, "response")
    noted = object_or_none(fields.get("response_metadata")) or {}
    model = text_or_none(noted.get("model_name")) or text_or_none(noted.get("model"))
    stop = noted.get("finish_reason") or noted.get("stop_reason")
    uid = text_or_none(noted.get("id")) or text_or_none(fields.get("id"))
    return Answer(
        messages=[Parser().read(payload, "response", model=model)],
        usage=object_or_none(fields.get("usage_metadata")),
        model=model,
        response_id=uid,
        stop_reason=text_or_none(stop),
    )
