"""
Contents of the Gemini API (python-genai: types.py), in camelCase or snake_case.

Calls may have no id: then they pair by name and order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.canonical import (
    call_part,
    file_part,
    make_message,
    opaque_part,
    reasoning_part,
    result_part,
    text_part,
)
from sessions_app.formats.media import data_url
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_list,
    expect_name,
    expect_object,
    expect_text,
    fail,
    first,
    object_or_none,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message, Part

NAME = "gemini"


def parse(payload: Any) -> list[Message]:
    listed = each_object(as_list(payload), "contents")
    return [read_content(raw, where) for raw, where in listed]


def parse_response(payload: Any) -> Answer:
    """Read a generateContent response; of several candidates, the first."""
    payload = expect_object(payload, "response")
    feedback = object_or_none(first(payload, "promptFeedback", "prompt_feedback")) or {}
    blocked = first(feedback, "blockReason", "block_reason")
    candidates = payload.get("candidates")
    if blocked is not None and not candidates:
        candidates = [{"finishReason": blocked}]
    if not expect_list(candidates, "response.candidates"):
        raise fail("response.candidates", "must hold a candidate")
    candidate = expect_object(candidates[0], "response.candidates[0]")
    where = "response.candidates[0].content"
    # A candidate that was blocked has no content.
    content = expect_object(candidate.get("content") or {}, where)
    raw = {"role": "model", "parts": [], **content}
    uid = text_or_none(first(payload, "responseId", "response_id"))
    model = text_or_none(first(payload, "modelVersion", "model_version"))
    usage = first(payload, "usageMetadata", "usage_metadata")
    stop = first(candidate, "finishReason", "finish_reason")
    return Answer(
        messages=[read_content(raw, where, uid=uid, model=model)],
        usage=object_or_none(usage),
        model=model,
        response_id=uid,
        stop_reason=text_or_none(stop),
    )


def read_content(raw: dict[str, Any], where: str, **extra: Any) -> Message:
    role = expect_name(raw.get("role", "user"), f"{where}.role")
    listed = each_object(raw.get("parts"), f"{where}.parts")
    parts = [read_part(part, at) for part, at in listed]
    if role == "model":
        role = "assistant"
    elif (
        role == "user"
        and parts
        and all("output" in p or "errorText" in p for p in parts)
    ):
        role = "tool"
    return make_message(role=role, parts=parts, source=NAME, raw=raw, **extra)


def read_part(part: dict[str, Any], where: str) -> Part:
    signature = first(part, "thoughtSignature", "thought_signature")
    google = {"thoughtSignature": signature} if isinstance(signature, str) else {}
    for names, reader in READERS:
        if (found := first(part, *names)) is not None:
            read = reader(found, f"{where}.{names[0]}")
            break
    else:
        return _read_text(part, where, google)
    if google:
        key = "callProviderMetadata" if "input" in read else "providerMetadata"
        read[key] = {"google": google}
    return read


def _read_text(part: dict[str, Any], where: str, google: dict[str, str]) -> Part:
    text = part.get("text")
    if all(value is None for value in part.values()):
        return text_part("")
    # A signature on an empty text says nothing to another dialect.
    if text is None or (text == "" and google):
        return opaque_part(NAME, part)
    expect_text(text, f"{where}.text")
    made = reasoning_part if part.get("thought") is True else text_part
    return made(text, google=google)


def _read_inline(value: Any, where: str) -> Part:
    value = expect_object(value, where)
    kind = expect_name(first(value, "mimeType", "mime_type"), f"{where}.mimeType")
    content = expect_text(value.get("data"), f"{where}.data")
    name = first(value, "displayName", "display_name")
    return file_part(data_url(kind, content), kind, name)


def _read_file(value: Any, where: str) -> Part:
    value = expect_object(value, where)
    url = expect_name(first(value, "fileUri", "file_uri"), f"{where}.fileUri")
    kind = first(value, "mimeType", "mime_type")
    kind = kind if isinstance(kind, str) else "application/octet-stream"
    return file_part(url, kind, first(value, "displayName", "display_name"))


def _read_call(value: Any, where: str) -> Part:
    value = expect_object(value, where)
    name = expect_name(value.get("name"), f"{where}.name")
    arguments = value.get("args")
    arguments = {} if arguments is None else expect_object(arguments, f"{where}.args")
    return call_part(name, value.get("id"), arguments)


def _read_result(value: Any, where: str) -> Part:
    """Take ``output`` and ``error`` apart, which the API names for this."""
    value = expect_object(value, where)
    name = expect_name(value.get("name"), f"{where}.name")
    response = value.get("response")
    response = {} if response is None else expect_object(response, f"{where}.response")
    if response.keys() == {"error"}:
        return result_part(name, value.get("id"), response["error"], error=True)
    if response.keys() == {"output"}:
        response = response["output"]
    return result_part(name, value.get("id"), response)


READERS: tuple[tuple[tuple[str, ...], Callable[[Any, str], Part]], ...] = (
    (("functionCall", "function_call"), _read_call),
    (("functionResponse", "function_response"), _read_result),
    (("inlineData", "inline_data"), _read_inline),
    (("fileData", "file_data"), _read_file),
)
