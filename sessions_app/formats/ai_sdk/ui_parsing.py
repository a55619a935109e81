"""
UIMessages of the AI SDK (vercel/ai: packages/ai/src/ui): what we store, so they are
checked and kept as they are. Those of version 4 (content, toolInvocations) are read.
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.canonical import (
    call_part,
    file_part,
    make_message,
    reasoning_part,
    text_part,
)
from sessions_app.formats.media import guess_type
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_name,
    expect_object,
    expect_text,
    object_or_none,
    optional_text,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message, Part
from sessions_app.formats.tool_parts import OLD_STATES
from sessions_app.tokens import is_tool

NAME = "ai-sdk"
# What a part of a type needs to be one, each a string.
NEEDED = {
    "text": ("text",),
    "reasoning": ("text",),
    "file": ("mediaType", "url"),
    "source-url": ("sourceId", "url"),
    "source-document": ("sourceId", "mediaType", "title"),
}


def parse(payload: Any) -> list[Message]:
    listed = each_object(as_list(payload), "messages")
    return [read_message(raw, where) for raw, where in listed]


def parse_response(payload: Any) -> Answer:
    """Read the UIMessage that a stream ended in; usage and model are in its metadata."""
    raw = expect_object(payload, "response")
    raw = object_or_none(raw.get("responseMessage")) or raw
    metadata = object_or_none(raw.get("metadata")) or {}
    usage = metadata.get("totalUsage") or metadata.get("usage")
    return Answer(
        messages=[read_message(raw, "response")],
        usage=object_or_none(usage),
        model=text_or_none(metadata.get("model")),
        response_id=text_or_none(raw.get("id")),
        stop_reason=text_or_none(metadata.get("finishReason")),
    )


def read_message(raw: dict[str, Any], where: str) -> Message:
    role = expect_name(raw.get("role"), f"{where}.role")
    if raw.get("id") is not None:
        expect_name(raw["id"], f"{where}.id")
    if "parts" not in raw or "toolInvocations" in raw:
        return read_old(raw, role, where)
    for part, at in each_object(raw["parts"], f"{where}.parts"):
        kind = expect_name(part.get("type"), f"{at}.type")
        for name in NEEDED.get(kind, ()):
            # A reasoning part of version 4 has its text elsewhere.
            if not (kind == "reasoning" and "reasoning" in part):
                expect_text(part.get(name), f"{at}.{name}")
        if is_tool(kind):
            expect_name(part.get("toolCallId"), f"{at}.toolCallId")
        if kind == "dynamic-tool":
            expect_name(part.get("toolName"), f"{at}.toolName")
    return raw


def read_old(raw: dict[str, Any], role: str, where: str) -> Message:
    """Read a message of version 4."""
    parts: list[Part] = []
    if reasoning := optional_text(raw.get("reasoning"), f"{where}.reasoning"):
        parts.append(reasoning_part(reasoning))
    listed = raw.get("toolInvocations") or []
    for call, at in each_object(listed, f"{where}.toolInvocations"):
        parts.append(_read_invocation(call, at))
    if text := optional_text(raw.get("content"), f"{where}.content"):
        parts.append(text_part(text))
    attached = raw.get("experimental_attachments") or []
    for each, at in each_object(attached, f"{where}.experimental_attachments"):
        url = expect_name(each.get("url"), f"{at}.url")
        kind = text_or_none(each.get("contentType")) or guess_type(url)
        parts.append(file_part(url, kind, each.get("name")))
    message = make_message(
        role=role, parts=parts, source=NAME, raw=raw, uid=raw.get("id")
    )
    if "createdAt" in raw:
        message["createdAt"] = raw["createdAt"]
    return message


def _read_invocation(call: dict[str, Any], where: str) -> Part:
    name = expect_name(call.get("toolName"), f"{where}.toolName")
    uid = expect_name(call.get("toolCallId"), f"{where}.toolCallId")
    part = call_part(name, uid, call.get("args"))
    state = call.get("state")
    part["state"] = OLD_STATES.get(str(state), "input-available")
    if part["state"] == "output-available":
        part["output"] = call.get("result")
    return part
