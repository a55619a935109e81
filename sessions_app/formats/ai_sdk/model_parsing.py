"""ModelMessages of the AI SDK (vercel/ai: packages/provider-utils/src/types)."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.arguments import dump
from sessions_app.formats.canonical import (
    call_part,
    file_part,
    make_message,
    opaque_part,
    reasoning_part,
    result_part,
    text_part,
)
from sessions_app.formats.media import data_url, guess_content, guess_type
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_name,
    expect_object,
    expect_text,
    fail,
    first,
    object_or_none,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message, Part

NAME = "ai-sdk-model"


def parse(payload: Any) -> list[Message]:
    listed = each_object(as_list(payload), "messages")
    return [read_message(raw, where) for raw, where in listed]


def parse_response(payload: Any) -> Answer:
    """Read what generateText returned, or a step of it: ``response.messages``."""
    payload = expect_object(payload, "response")
    response = object_or_none(payload.get("response")) or payload
    if "messages" not in response and "role" in response:
        response = {"messages": [response]}
    listed = each_object(response.get("messages"), "response.messages")
    uid = text_or_none(response.get("id"))
    model = text_or_none(response.get("modelId"))
    messages = []
    for number, (raw, where) in enumerate(listed):
        own = uid if uid is None or number == 0 else f"{uid}_{number}"
        messages.append(read_message(raw, where, uid=own, model=model))
    usage = first(payload, "totalUsage", "usage")
    stop = text_or_none(payload.get("finishReason"))
    return Answer(messages, object_or_none(usage), model, uid, stop)


def read_message(raw: dict[str, Any], where: str, **extra: Any) -> Message:
    role = expect_name(raw.get("role"), f"{where}.role")
    content = raw.get("content")
    if isinstance(content, str):
        parts = [text_part(content)] if content else []
    elif isinstance(content, list):
        listed = each_object(content, f"{where}.content")
        parts = [read_part(part, role, at) for part, at in listed]
    else:
        raise fail(f"{where}.content", "must be a string or an array of parts")
    return make_message(role=role, parts=parts, source=NAME, raw=raw, **extra)


def read_part(part: dict[str, Any], role: str, where: str) -> Part:
    kind = expect_name(part.get("type"), f"{where}.type")
    options = object_or_none(part.get("providerOptions")) or {}
    if kind == "text":
        return text_part(expect_text(part.get("text"), f"{where}.text"), **options)
    if kind == "reasoning":
        text = expect_text(part.get("text"), f"{where}.text")
        return reasoning_part(text, **options)
    if kind in ("image", "file"):
        return read_file(part, kind, where) or opaque_part(NAME, part)
    if kind == "tool-call":
        return read_call(part, options, where)
    if kind == "tool-result":
        return read_result(part, role, where)
    return opaque_part(NAME, part)


def read_file(part: dict[str, Any], kind: str, where: str) -> Part | None:
    value = part.get("image") if kind == "image" else part.get("data")
    value = part.get("url") if value is None else value
    if not isinstance(value, str):
        return None
    media_type = text_or_none(first(part, "mediaType", "mimeType"))
    name = part.get("filename")
    if value.startswith(("data:", "http://", "https://")):
        otherwise = "image/*" if kind == "image" else "application/octet-stream"
        return file_part(value, media_type or guess_type(value, otherwise), name)
    media_type = media_type or guess_content(value)
    return file_part(data_url(media_type, value), media_type, name)


def read_call(part: dict[str, Any], options: dict[str, Any], where: str) -> Part:
    uid = expect_name(part.get("toolCallId"), f"{where}.toolCallId")
    name = expect_name(part.get("toolName"), f"{where}.toolName")
    read = call_part(name, uid, part["input"] if "input" in part else part.get("args"))
    if options:
        read["callProviderMetadata"] = options
    if part.get("providerExecuted") is True:
        read["providerExecuted"] = True
    return read


def read_result(part: dict[str, Any], role: str, where: str) -> Part:
    uid = expect_name(part.get("toolCallId"), f"{where}.toolCallId")
    name = expect_name(part.get("toolName"), f"{where}.toolName")
    if "output" in part:
        output = expect_object(part["output"], f"{where}.output")
        value, error = read_output(output, f"{where}.output")
    else:
        # Version 4 gave the bare result.
        value, error = part.get("result"), part.get("isError") is True
    read = result_part(name, uid, value, error=error)
    if role == "assistant":
        # A tool that the provider ran: the call is another part of the message.
        read = {**read, "type": "tool-result", "toolName": name}
    return read


def read_output(output: dict[str, Any], where: str) -> tuple[Any, bool]:
    """Return an output's value, and whether it is an error."""
    kind = expect_name(output.get("type"), f"{where}.type")
    value = output.get("value")
    if kind == "execution-denied":
        reason = text_or_none(output.get("reason"))
        return reason or "The user did not allow this tool call.", True
    if kind in ("error-text", "error-json"):
        return (value if isinstance(value, str) else dump(value)), True
    return (output if kind == "content" else value), False
