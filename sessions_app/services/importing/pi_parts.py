"""From the blocks of a Pi message to parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from sessions_app.errors import Invalid
from sessions_app.services.importing.verbatim import (
    NOTHING,
    Members,
    items,
    members,
    without,
)

Part = dict[str, Any]


def read_parts(content: Any, raw: msgspec.Raw) -> list[Part]:
    """
    Return the parts of a message's content: a text, or a list of blocks.

    :raises Invalid: if it is neither
    """
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise Invalid("content: must be a text or a list of blocks")
    return [
        _read_block(block, text)
        for block, text in zip(content, items(raw), strict=True)
    ]


def read_result(message: dict[str, Any], raw: Members) -> list[Part]:
    """
    Return the tool part of a toolResult, and its images as further parts.

    One text is the output as it is; several are a list of text parts, but joined in an
    error's text.

    :raises Invalid: if it does not say which call it answers
    """
    call, name = message.get("toolCallId"), message.get("toolName")
    if not isinstance(call, str) or not isinstance(name, str):
        raise Invalid("a toolResult needs a toolCallId and a toolName")
    parts = read_parts(message.get("content"), raw.get("content", NOTHING))
    texts = [part for part in parts if part["type"] == "text"]
    others = [part for part in parts if part["type"] != "text"]
    tool: Part = {"type": f"tool-{name}", "toolCallId": call, "toolName": name}
    if message.get("isError") is True:
        tool["state"] = "output-error"
        tool["errorText"] = "\n".join(part["text"] for part in texts)
    else:
        tool["state"] = "output-available"
        tool["output"] = texts[0]["text"] if _is_one_text(texts) else texts
    return [tool, *others]


def _is_one_text(texts: list[Part]) -> bool:
    return len(texts) == 1 and len(texts[0]) == 2


def _read_block(block: Any, text: msgspec.Raw) -> Part:
    if isinstance(block, dict):
        kind = block.get("type")
        found = members(text)
        if isinstance(kind, str) and (reader := BLOCKS.get(kind)):
            part = reader(block, found)
            if part is not None:
                return part
    return {"type": "data-pi", "data": text}


def _read_text(block: dict[str, Any], raw: Members) -> Part | None:
    text = block.get("text")
    if not isinstance(text, str):
        return None
    return _with_rest({"type": "text", "text": text}, without(raw, "type", "text"))


def _read_thinking(block: dict[str, Any], raw: Members) -> Part | None:
    text = block.get("thinking", "")
    if not isinstance(text, str):
        return None
    part = {"type": "reasoning", "text": text}
    return _with_rest(part, without(raw, "type", "thinking"))


def _read_image(block: dict[str, Any], raw: Members) -> Part | None:
    content, kind = block.get("data"), block.get("mimeType")
    if not isinstance(content, str) or not isinstance(kind, str):
        return None
    part = {"type": "file", "mediaType": kind, "url": f"data:{kind};base64,{content}"}
    return _with_rest(part, without(raw, "type", "data", "mimeType"))


def _read_call(block: dict[str, Any], raw: Members) -> Part | None:
    call, name = block.get("id"), block.get("name")
    if not isinstance(call, str) or not isinstance(name, str):
        return None
    part = {
        "type": f"tool-{name}",
        "toolCallId": call,
        "toolName": name,
        "state": "input-available",
        "input": raw.get("arguments", NOTHING),
    }
    rest = without(raw, "type", "id", "name", "arguments")
    return _with_rest(part, rest, "callProviderMetadata")


def _with_rest(part: Part, rest: Members, name: str = "providerMetadata") -> Part:
    """Keep what else a block has: signatures, above all."""
    return {**part, name: {"pi": rest}} if rest else part


BLOCKS: dict[str, Callable[[dict[str, Any], Members], Part | None]] = {
    "text": _read_text,
    "thinking": _read_thinking,
    "image": _read_image,
    "toolCall": _read_call,
}
