"""
UIMessages of the AI SDK (vercel/ai: packages/ai/src/ui): what we store, so they are
checked and kept as they are.
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.ai_sdk.old_messages import is_old, read_old
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_name,
    expect_object,
    expect_text,
    object_or_none,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message
from sessions_app.tokens import is_tool

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
    if is_old(raw):
        return read_old(raw, role, where)
    for part, at in each_object(raw.get("parts"), f"{where}.parts"):
        kind = expect_name(part.get("type"), f"{at}.type")
        for name in NEEDED.get(kind, ()):
            expect_text(part.get(name), f"{at}.{name}")
        if is_tool(kind):
            expect_name(part.get("toolCallId"), f"{at}.toolCallId")
        if kind == "dynamic-tool":
            expect_name(part.get("toolName"), f"{at}.toolName")
    return raw
