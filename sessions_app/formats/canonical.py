"""
The stored message: AI SDK UI parts, and the original beside them.

``metadata.source`` is ``{"format", "raw", "parts"}``: ``raw`` is what was sent, and
``parts`` a checksum of the parts it was read into. Where the parts have since been
edited, shortened or hidden, the original no longer counts.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

import orjson

from sessions_app.formats.shapes import Message, Part
from sessions_app.tokens import is_tool

UI_ROLES = ("system", "user", "assistant")


def make_message(
    *,
    role: str,
    parts: list[Part],
    source: str,
    raw: Any,
    uid: Any = None,
    model: Any = None,
) -> Message:
    """Return a message to store, with what it was read from."""
    message: Message = {"id": uid} if isinstance(uid, str) and uid else {}
    message |= {"role": role, "parts": parts}
    identify_calls(message)
    metadata: dict[str, Any] = {"model": model} if isinstance(model, str) else {}
    metadata["source"] = {"format": source, "raw": raw, "parts": checksum(parts)}
    return {**message, "metadata": metadata}


def own_form(message: Message, name: str) -> Any:
    """Return the message as it was sent in this dialect, or None."""
    metadata = message.get("metadata")
    source = metadata.get("source") if isinstance(metadata, dict) else None
    if isinstance(source, dict) and isinstance(metadata, dict):
        if source.get("format") == name and "raw" in source:
            if source.get("parts") == checksum(message.get("parts")):
                return source["raw"]
            return None
        if name == "ai-sdk" and message.get("role") in UI_ROLES:
            return without_source(message)
        return None
    if name == "ai-sdk" and message.get("role") in UI_ROLES and "id" in message:
        return message
    return None


def without_source(message: Message) -> Message:
    """Return a message without the original, which is only for us."""
    metadata = message.get("metadata")
    if not isinstance(metadata, dict) or "source" not in metadata:
        return message
    rest = {key: value for key, value in metadata.items() if key != "source"}
    bare = {key: value for key, value in message.items() if key != "metadata"}
    return {**bare, "metadata": rest} if rest else bare


def checksum(parts: Any) -> str:
    try:
        text = orjson.dumps(parts)
    except TypeError:
        text = json.dumps(parts).encode()
    return f"{zlib.crc32(text):08x}"


def call_id(uid: str, index: int) -> str:
    """Return the id of a call that came without: that of its message, and its place."""
    return f"call_{uid}_{index}"


def identify_calls(message: Message) -> None:
    """
    Give an id to each call that came without one, from its message's id.

    For the service to call where it gave the message its id. The checksum is mended.
    """
    uid = message.get("id")
    if not isinstance(uid, str) or message["role"] != "assistant":
        return
    changed = False
    for index, part in enumerate(message["parts"]):
        if is_tool(part["type"]) and "toolCallId" not in part:
            part["toolCallId"] = call_id(uid, index)
            changed = True
    source = (message.get("metadata") or {}).get("source")
    if changed and isinstance(source, dict):
        source["parts"] = checksum(message["parts"])


def text_part(text: str, **provider: Any) -> Part:
    return _with_provider({"type": "text", "text": text}, provider)


def reasoning_part(text: str, **provider: Any) -> Part:
    return _with_provider({"type": "reasoning", "text": text}, provider)


def file_part(url: str, media_type: str, filename: Any = None, **provider: Any) -> Part:
    part = {"type": "file", "mediaType": media_type, "url": url}
    if isinstance(filename, str) and filename:
        part["filename"] = filename
    return _with_provider(part, provider)


def opaque_part(source: str, value: Any) -> Part:
    """Return the part for what only this dialect knows."""
    return {"type": f"data-{source}", "data": value}


def call_part(name: str, uid: Any, value: Any, raw: str | None = None) -> Part:
    part: Part = {"type": f"tool-{name}", "state": "input-available", "input": value}
    if isinstance(uid, str) and uid:
        part["toolCallId"] = uid
    if raw is not None:
        part["rawInput"] = raw
    return part


def result_part(name: str | None, uid: Any, value: Any, *, error: bool = False) -> Part:
    """Return a result that stands apart from its call; an error's is a text."""
    part: Part = {"type": f"tool-{name}"}
    if not name:
        part = {"type": "dynamic-tool", "toolName": "unknown"}
    if isinstance(uid, str) and uid:
        part["toolCallId"] = uid
    if error:
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        return {**part, "state": "output-error", "errorText": text}
    return {**part, "state": "output-available", "output": value}


def content_value(parts: Sequence[Part]) -> Any:
    """Return a result's output for what is in it: one text is just that."""
    if not parts:
        return ""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"]
    return {"type": "content", "value": list(parts)}


def _with_provider(part: Part, provider: dict[str, Any]) -> Part:
    kept = {key: value for key, value in provider.items() if value}
    return {**part, "providerMetadata": kept} if kept else part
