"""
Content blocks of LangChain: the standard ones of version 1, and those of OpenAI and
Anthropic, which messages of older versions hold as they came.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.canonical import (
    file_part,
    opaque_part,
    reasoning_part,
    text_part,
)
from sessions_app.formats.media import data_url, guess_type
from sessions_app.formats.reading import (
    expect_list,
    expect_object,
    expect_text,
    fail,
    optional_text,
    text_or_none,
)
from sessions_app.formats.shapes import Part

NAME = "langchain"
MEDIA = {"image": "image/*", "audio": "audio/*", "video": "video/*"}
# The same call stands in tool_calls.
CALLS = (
    "tool_call",
    "tool_call_chunk",
    "tool_use",
    "function_call",
    "input_json_delta",
)


def read_content(content: Any, where: str) -> list[Part]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [text_part(content)]
    if not isinstance(content, list):
        raise fail(where, "must be a string or an array of blocks")
    parts = []
    for index, block in enumerate(expect_list(content, where)):
        at = f"{where}[{index}]"
        if isinstance(block, str):
            parts.append(text_part(block))
            continue
        block = expect_object(block, at)
        if block.get("type") not in CALLS:
            parts.append(read_block(block, at))
    return parts


def read_block(block: dict[str, Any], where: str) -> Part:
    reader = BLOCKS.get(str(block.get("type")))
    part = reader(block, where) if reader else None
    return opaque_part(NAME, block) if part is None else part


def _read_text(block: dict[str, Any], where: str) -> Part:
    return text_part(expect_text(block.get("text"), f"{where}.text"))


def _read_reasoning(block: dict[str, Any], where: str) -> Part:
    return reasoning_part(optional_text(block.get("reasoning"), f"{where}.reasoning"))


def _read_thinking(block: dict[str, Any], where: str) -> Part:
    text = optional_text(block.get("thinking"), f"{where}.thinking")
    signature = text_or_none(block.get("signature"))
    return reasoning_part(text, anthropic={"signature": signature} if signature else {})


def _read_media(block: dict[str, Any], where: str) -> Part | None:
    kind = text_or_none(block.get("mime_type"))
    name = block.get("filename") or block.get("name")
    otherwise = MEDIA.get(str(block["type"]), "application/octet-stream")
    content = block.get("base64") or block.get("data")
    if isinstance(content, str) and kind:
        return file_part(data_url(kind, content), kind, name)
    url = block.get("url")
    if isinstance(url, str):
        return file_part(url, kind or guess_type(url, otherwise), name)
    source = block.get("source")
    if isinstance(source, dict) and isinstance(source.get("data"), str):
        kind = str(source.get("media_type"))
        return file_part(data_url(kind, source["data"]), kind, name)
    return None


def _read_image_url(block: dict[str, Any], where: str) -> Part | None:
    image = block.get("image_url")
    url = image.get("url") if isinstance(image, dict) else image
    return file_part(url, guess_type(url)) if isinstance(url, str) else None


BLOCKS: dict[str, Callable[[dict[str, Any], str], Part | None]] = {
    "text": _read_text,
    "reasoning": _read_reasoning,
    "thinking": _read_thinking,
    "image": _read_media,
    "audio": _read_media,
    "video": _read_media,
    "file": _read_media,
    "image_url": _read_image_url,
}
