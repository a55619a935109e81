"""The contents of Responses messages and outputs: texts, images, files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.canonical import file_part, opaque_part, text_part
from sessions_app.formats.media import data_url, guess_content, guess_type, provider_url
from sessions_app.formats.reading import (
    each_object,
    expect_name,
    expect_text,
    fail,
    text_or_none,
)
from sessions_app.formats.shapes import Part

NAME = "openai-responses"


def read_content(content: Any, where: str) -> list[Part]:
    if content is None or content == "":
        return []
    if isinstance(content, str):
        return [text_part(content)]
    if not isinstance(content, list):
        raise fail(where, "must be a string or an array of parts")
    return [read_part(part, at) for part, at in each_object(content, where)]


def read_part(part: dict[str, Any], where: str) -> Part:
    kind = expect_name(part.get("type"), f"{where}.type")
    reader = PARTS.get(kind)
    return reader(part, where) if reader else opaque_part(NAME, part)


def _read_text(part: dict[str, Any], where: str) -> Part:
    return text_part(expect_text(part.get("text"), f"{where}.text"))


def _read_refusal(part: dict[str, Any], where: str) -> Part:
    text = expect_text(part.get("refusal"), f"{where}.refusal")
    return text_part(text, openai={"refusal": True})


def _read_image(part: dict[str, Any], where: str) -> Part:
    detail = text_or_none(part.get("detail"))
    openai = {"imageDetail": detail} if detail else {}
    if isinstance(uid := part.get("file_id"), str):
        return file_part(provider_url("openai", uid), "image/*", openai=openai)
    url = expect_name(part.get("image_url"), f"{where}.image_url")
    return file_part(url, guess_type(url), openai=openai)


def _read_file(part: dict[str, Any], where: str) -> Part:
    name = part.get("filename")
    otherwise = guess_type(str(name), "application/octet-stream")
    if isinstance(uid := part.get("file_id"), str):
        return file_part(provider_url("openai", uid), otherwise, name)
    if isinstance(url := part.get("file_url"), str):
        return file_part(url, guess_type(url, otherwise), name)
    content = expect_name(part.get("file_data"), f"{where}.file_data")
    if not content.startswith("data:"):
        content = data_url(guess_content(content, otherwise), content)
    return file_part(content, guess_type(content, otherwise), name)


PARTS: dict[str, Callable[[dict[str, Any], str], Part]] = {
    "input_text": _read_text,
    "output_text": _read_text,
    "text": _read_text,
    "refusal": _read_refusal,
    "input_image": _read_image,
    "input_file": _read_file,
}
