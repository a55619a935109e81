"""Messages of the Anthropic API (anthropic-sdk-python: types)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.canonical import (
    call_part,
    content_value,
    file_part,
    make_message,
    opaque_part,
    reasoning_part,
    result_part,
    text_part,
)
from sessions_app.formats.media import data_url, guess_type, provider_url, text_url
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_name,
    expect_object,
    expect_text,
    fail,
    object_or_none,
    optional_text,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message, Part

NAME = "anthropic"


class Parser:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def read(self, raw: dict[str, Any], where: str, **extra: Any) -> Message:
        role = expect_name(raw.get("role"), f"{where}.role")
        content = raw.get("content")
        if isinstance(content, str):
            parts = [text_part(content)] if content else []
        elif isinstance(content, list):
            listed = each_object(content, f"{where}.content")
            parts = [self.read_block(block, at) for block, at in listed]
        else:
            raise fail(f"{where}.content", "must be a string or an array of blocks")
        if role == "user" and parts and all(_is_result(part) for part in parts):
            role = "tool"
        return make_message(role=role, parts=parts, source=NAME, raw=raw, **extra)

    def read_block(self, block: dict[str, Any], where: str) -> Part:
        kind = expect_name(block.get("type"), f"{where}.type")
        if kind == "tool_use":
            return self.read_call(block, where)
        if kind == "tool_result":
            return self.read_result(block, where)
        reader = BLOCKS.get(kind)
        return reader(block, where) if reader else opaque_part(NAME, block)

    def read_call(self, block: dict[str, Any], where: str) -> Part:
        uid = expect_name(block.get("id"), f"{where}.id")
        name = expect_name(block.get("name"), f"{where}.name")
        self.names[uid] = name
        return call_part(name, uid, expect_object(block.get("input"), f"{where}.input"))

    def read_result(self, block: dict[str, Any], where: str) -> Part:
        uid = expect_name(block.get("tool_use_id"), f"{where}.tool_use_id")
        content = block.get("content")
        value: Any = content
        if content is None or isinstance(content, list):
            listed = each_object(content or [], f"{where}.content")
            value = content_value([self.read_block(each, at) for each, at in listed])
        elif not isinstance(content, str):
            raise fail(f"{where}.content", "must be a string or an array of blocks")
        error = block.get("is_error") is True
        return result_part(self.names.get(uid), uid, value, error=error)


def parse(payload: Any) -> list[Message]:
    parser = Parser()
    listed = each_object(as_list(payload), "messages")
    return [parser.read(raw, where) for raw, where in listed]


def parse_response(payload: Any) -> Answer:
    """Read a Message; what may be sent back of it is its role and content."""
    payload = expect_object(payload, "response")
    raw = {"role": payload.get("role", "assistant"), "content": payload.get("content")}
    uid, model = text_or_none(payload.get("id")), text_or_none(payload.get("model"))
    return Answer(
        messages=[Parser().read(raw, "response", uid=uid, model=model)],
        usage=object_or_none(payload.get("usage")),
        model=model,
        response_id=uid,
        stop_reason=text_or_none(payload.get("stop_reason")),
    )


def _is_result(part: Part) -> bool:
    return part.get("state") in ("output-available", "output-error")


def _read_text(block: dict[str, Any], where: str) -> Part:
    return text_part(expect_text(block.get("text"), f"{where}.text"))


def _read_thinking(block: dict[str, Any], where: str) -> Part:
    text = optional_text(block.get("thinking"), f"{where}.thinking")
    signature = optional_text(block.get("signature"), f"{where}.signature")
    return reasoning_part(text, anthropic={"signature": signature})


def _read_redacted(block: dict[str, Any], where: str) -> Part:
    text = expect_text(block.get("data"), f"{where}.data")
    return reasoning_part("", anthropic={"redactedData": text})


def _read_file(block: dict[str, Any], where: str) -> Part:
    source = expect_object(block.get("source"), f"{where}.source")
    kind = expect_name(source.get("type"), f"{where}.source.type")
    otherwise = "image/*" if block["type"] == "image" else "application/pdf"
    name = block.get("title")
    if kind == "url":
        url = expect_name(source.get("url"), f"{where}.source.url")
        return file_part(url, guess_type(url, otherwise), name)
    if kind == "file":
        uid = expect_name(source.get("file_id"), f"{where}.source.file_id")
        return file_part(provider_url(NAME, uid), otherwise, name)
    if kind not in ("base64", "text"):
        return opaque_part(NAME, block)
    content = expect_text(source.get("data"), f"{where}.source.data")
    media_type = expect_name(source.get("media_type"), f"{where}.source.media_type")
    if kind == "text":
        return file_part(text_url(content, media_type), media_type, name)
    return file_part(data_url(media_type, content), media_type, name)


BLOCKS: dict[str, Callable[[dict[str, Any], str], Part]] = {
    "text": _read_text,
    "thinking": _read_thinking,
    "redacted_thinking": _read_redacted,
    "image": _read_file,
    "document": _read_file,
}
