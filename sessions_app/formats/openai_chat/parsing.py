"""Chat Completions messages (openai-python: types/chat) and what servers add to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.arguments import read_arguments
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
from sessions_app.formats.media import data_url, guess_content, guess_type, provider_url
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_list,
    expect_name,
    expect_object,
    expect_text,
    fail,
    object_or_none,
    optional_text,
    text_or_none,
)
from sessions_app.formats.shapes import Answer, Message, Part

ROLES = {"developer": "system", "function": "tool"}
AUDIO = {"mp3": "audio/mpeg", "wav": "audio/wav"}


class Parser:
    """Reads messages one after another, and remembers the names of calls."""

    def __init__(self, name: str = "openai-chat") -> None:
        self.name = name
        self.names: dict[str, str] = {}

    def read(self, raw: dict[str, Any], where: str, **extra: Any) -> Message:
        role = expect_name(raw.get("role"), f"{where}.role")
        parts = (
            self.read_result(raw, where)
            if role in ("tool", "function")
            else [
                *self.read_reasoning(raw, role),
                *self.read_content(raw.get("content"), f"{where}.content"),
                *self.read_refusal(raw, where),
                *self.read_audio(raw, where),
                *self.read_calls(raw, where),
            ]
        )
        role = ROLES.get(role, role)
        return make_message(role=role, parts=parts, source=self.name, raw=raw, **extra)

    def read_content(self, content: Any, where: str) -> list[Part]:
        if content is None or content == "":
            return []
        if isinstance(content, str):
            return [text_part(content)]
        if not isinstance(content, list):
            raise fail(where, "must be a string, an array of parts or null")
        return [self.read_part(part, at) for part, at in each_object(content, where)]

    def read_part(self, part: dict[str, Any], where: str) -> Part:
        kind = expect_name(part.get("type"), f"{where}.type")
        reader = PARTS.get(kind)
        return reader(part, where) if reader else opaque_part(self.name, part)

    def read_reasoning(self, raw: dict[str, Any], role: str) -> list[Part]:
        text = raw.get("reasoning_content") or raw.get("reasoning")
        if role != "assistant" or not isinstance(text, str):
            return []
        return [reasoning_part(text)]

    def read_refusal(self, raw: dict[str, Any], where: str) -> list[Part]:
        text = optional_text(raw.get("refusal"), f"{where}.refusal")
        return [text_part(text, openai={"refusal": True})] if text else []

    def read_audio(self, raw: dict[str, Any], where: str) -> list[Part]:
        """Read what was spoken: its words, where they are there and not in the content."""
        if raw.get("audio") is None or raw.get("content"):
            return []
        audio = expect_object(raw["audio"], f"{where}.audio")
        text = text_or_none(audio.get("transcript"))
        return [text_part(text) if text else opaque_part(self.name, {"audio": audio})]

    def read_calls(self, raw: dict[str, Any], where: str) -> list[Part]:
        parts = []
        if raw.get("tool_calls") is not None:
            for call, at in each_object(raw["tool_calls"], f"{where}.tool_calls"):
                parts.append(self.read_call(call, at))
        if raw.get("function_call") is not None:
            at = f"{where}.function_call"
            call = expect_object(raw["function_call"], at)
            parts.append(self.read_function(call, None, at))
        return parts

    def read_call(self, call: dict[str, Any], where: str) -> Part:
        uid = call.get("id")
        if call.get("type") == "custom":
            custom = expect_object(call.get("custom"), f"{where}.custom")
            name = expect_name(custom.get("name"), f"{where}.custom.name")
            text = expect_text(custom.get("input"), f"{where}.custom.input")
            part = call_part(name, uid, text)
            part["callProviderMetadata"] = {"openai": {"custom": True}}
            self.names[str(uid)] = name
            return part
        if "function" not in call and "name" in call:
            # Workers AI's own form: {name, arguments: {...}}, without an id.
            return self.read_function(call, uid, where)
        function = expect_object(call.get("function"), f"{where}.function")
        return self.read_function(function, uid, f"{where}.function")

    def read_function(self, function: dict[str, Any], uid: Any, where: str) -> Part:
        name = expect_name(function.get("name"), f"{where}.name")
        self.names[str(uid)] = name
        arguments = function.get("arguments")
        if arguments is None or isinstance(arguments, dict):
            return call_part(name, uid, arguments or {})
        text = expect_text(arguments, f"{where}.arguments")
        return call_part(name, uid, *read_arguments(text))

    def read_result(self, raw: dict[str, Any], where: str) -> list[Part]:
        uid, name = raw.get("tool_call_id"), text_or_none(raw.get("name"))
        if uid is not None:
            expect_name(uid, f"{where}.tool_call_id")
        elif not name:
            raise fail(f"{where}.tool_call_id", "must name the call it answers")
        content = self.read_content(raw.get("content"), f"{where}.content")
        name = name or self.names.get(str(uid))
        return [result_part(name, uid, content_value(content))]


def parse(payload: Any) -> list[Message]:
    parser = Parser()
    listed = each_object(as_list(payload), "messages")
    return [parser.read(raw, where) for raw, where in listed]


def parse_response(payload: Any) -> Answer:
    """Read a chat completion; of several choices, the first."""
    payload = expect_object(payload, "response")
    choices = expect_list(payload.get("choices"), "response.choices")
    if not choices:
        raise fail("response.choices", "must hold a choice")
    choice = expect_object(choices[0], "response.choices[0]")
    where = "response.choices[0].message"
    raw = expect_object(choice.get("message"), where)
    uid, model = text_or_none(payload.get("id")), text_or_none(payload.get("model"))
    return Answer(
        messages=[Parser().read(raw, where, uid=uid, model=model)],
        usage=object_or_none(payload.get("usage")),
        model=model,
        response_id=uid,
        stop_reason=text_or_none(choice.get("finish_reason")),
    )


def _read_text(part: dict[str, Any], where: str) -> Part:
    return text_part(expect_text(part.get("text"), f"{where}.text"))


def _read_refusal(part: dict[str, Any], where: str) -> Part:
    text = expect_text(part.get("refusal"), f"{where}.refusal")
    return text_part(text, openai={"refusal": True})


def _read_image(part: dict[str, Any], where: str) -> Part:
    image = part.get("image_url")
    if isinstance(image, str):
        image = {"url": image}
    image = expect_object(image, f"{where}.image_url")
    url = expect_name(image.get("url"), f"{where}.image_url.url")
    detail = text_or_none(image.get("detail"))
    openai = {"imageDetail": detail} if detail else {}
    return file_part(url, guess_type(url), openai=openai)


def _read_audio(part: dict[str, Any], where: str) -> Part:
    audio = expect_object(part.get("input_audio"), f"{where}.input_audio")
    content = expect_name(audio.get("data"), f"{where}.input_audio.data")
    kind = expect_name(audio.get("format"), f"{where}.input_audio.format")
    kind = AUDIO.get(kind, f"audio/{kind}")
    return file_part(data_url(kind, content), kind)


def _read_file(part: dict[str, Any], where: str) -> Part:
    file = expect_object(part.get("file"), f"{where}.file")
    name = file.get("filename")
    if isinstance(uid := file.get("file_id"), str):
        kind = guess_type(str(name), "application/octet-stream")
        return file_part(provider_url("openai", uid), kind, name)
    content = expect_name(file.get("file_data"), f"{where}.file.file_data")
    if not content.startswith("data:"):
        content = data_url(guess_content(content), content)
    return file_part(content, guess_type(content), name)


PARTS: dict[str, Callable[[dict[str, Any], str], Part]] = {
    "text": _read_text,
    "refusal": _read_refusal,
    "image_url": _read_image,
    "input_audio": _read_audio,
    "file": _read_file,
}
