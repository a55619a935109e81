"""
UIMessages of the AI SDK's version 4, which chats of today still hold.

Its calls are ``toolInvocations`` beside the content, and since 4.2 parts of the type
``tool-invocation``, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.canonical import (
    call_part,
    file_part,
    make_message,
    reasoning_part,
    text_part,
)
from sessions_app.formats.media import data_url, guess_type
from sessions_app.formats.reading import (
    each_object,
    expect_list,
    expect_name,
    expect_object,
    expect_text,
    optional_text,
    text_or_none,
)
from sessions_app.formats.shapes import Message, Part
from sessions_app.formats.tool_parts import OLD_STATES

NAME = "ai-sdk"


def is_old(raw: Message) -> bool:
    """Say whether a message is none of today's."""
    parts = raw.get("parts")
    if "toolInvocations" in raw or (parts is None and "content" in raw):
        return True
    return isinstance(parts, list) and any(map(_is_old, parts))


def read_old(raw: Message, role: str, where: str) -> Message:
    """Read a message from its parts, or where they are not all from its content."""
    listed = raw.get("parts")
    calls = raw.get("toolInvocations") or []
    if listed and (
        not calls or any(map(_is_old, expect_list(listed, f"{where}.parts")))
    ):
        parts = [
            part
            for each, at in each_object(listed, f"{where}.parts")
            for part in _read_part(each, at)
        ]
    else:
        parts = _read_content(raw, where)
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


def _is_old(part: Any) -> bool:
    """Say whether a part is of version 4 by its shape."""
    if not isinstance(part, dict):
        return False
    kind = part.get("type")
    if kind == "reasoning":
        return "reasoning" in part and "text" not in part
    if kind == "file":
        return "data" in part and "url" not in part
    return kind in PARTS


def _read_content(raw: Message, where: str) -> list[Part]:
    parts: list[Part] = []
    if reasoning := optional_text(raw.get("reasoning"), f"{where}.reasoning"):
        parts.append(reasoning_part(reasoning))
    listed = raw.get("toolInvocations") or []
    for call, at in each_object(listed, f"{where}.toolInvocations"):
        parts.append(_read_invocation(call, at))
    if text := optional_text(raw.get("content"), f"{where}.content"):
        parts.append(text_part(text))
    return parts


def _read_part(part: Part, where: str) -> list[Part]:
    kind = expect_name(part.get("type"), f"{where}.type")
    reader = PARTS.get(kind)
    return reader(part, where) if reader and _is_old(part) else [part]


def _read_call(part: Part, where: str) -> list[Part]:
    at = f"{where}.toolInvocation"
    return [_read_invocation(expect_object(part.get("toolInvocation"), at), at)]


def _read_reasoning(part: Part, where: str) -> list[Part]:
    """Read each text with its signature, without which it cannot go back."""
    listed = each_object(part.get("details") or [], f"{where}.details")
    parts = []
    for detail, at in listed:
        if detail.get("type") == "redacted":
            found = {"redactedData": expect_text(detail.get("data"), f"{at}.data")}
            parts.append(reasoning_part("", anthropic=found))
        else:
            text = expect_text(detail.get("text"), f"{at}.text")
            signature = text_or_none(detail.get("signature"))
            found = {"signature": signature} if signature else {}
            parts.append(reasoning_part(text, anthropic=found))
    text = expect_text(part["reasoning"], f"{where}.reasoning")
    return parts or [reasoning_part(text)]


def _read_source(part: Part, where: str) -> list[Part]:
    source = expect_object(part.get("source"), f"{where}.source")
    uid = expect_name(source.get("id"), f"{where}.source.id")
    url = expect_name(source.get("url"), f"{where}.source.url")
    found = {"type": "source-url", "sourceId": uid, "url": url}
    title = text_or_none(source.get("title"))
    return [{**found, "title": title} if title else found]


def _read_file(part: Part, where: str) -> list[Part]:
    kind = expect_name(part.get("mimeType"), f"{where}.mimeType")
    content = expect_text(part["data"], f"{where}.data")
    return [file_part(data_url(kind, content), kind)]


def _read_invocation(call: dict[str, Any], where: str) -> Part:
    name = expect_name(call.get("toolName"), f"{where}.toolName")
    uid = expect_name(call.get("toolCallId"), f"{where}.toolCallId")
    part = call_part(name, uid, call.get("args"))
    state = call.get("state")
    part["state"] = OLD_STATES.get(str(state), "input-available")
    if part["state"] == "output-available":
        part["output"] = call.get("result")
    return part


PARTS: dict[str, Callable[[Part, str], list[Part]]] = {
    "tool-invocation": _read_call,
    "reasoning": _read_reasoning,
    "source": _read_source,
    "file": _read_file,
}
