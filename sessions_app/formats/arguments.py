"""
Tool inputs, as a JSON text and as an object.

Where arguments were sent as a text, that text is what counts: numbers and spaces in
it are not printed anew, for a prompt cache compares bytes, and a model may write what
is no JSON at all. formats.md 4.3, pitfalls 1 and 2.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

from sessions_app.formats.shapes import Call
from sessions_app.messages import holds_long_number


def read_arguments(text: str) -> tuple[Any, str | None]:
    """Return the input, and the text itself where printing the input could differ."""
    try:
        value = load(text)
    except orjson.JSONDecodeError:
        return ({} if not text.strip() else text), text
    same = isinstance(value, dict) and dump(value) == text
    return value, None if same else text


def load(text: str) -> Any:
    """
    Return the value of a JSON text, with integers of any size.

    :raises orjson.JSONDecodeError: if it is none
    """
    value = orjson.loads(text)
    return json.loads(text) if holds_long_number(text) else value


def dump(value: Any) -> str:
    """Return JSON as a text without spaces, numbers as they are."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def input_text(call: Call) -> str:
    """Return a call's arguments as a text; nothing at all is an empty object."""
    if call.raw_input is not None:
        return call.raw_input if call.raw_input.strip() else "{}"
    if isinstance(call.input, str) and _object_in(call.input) is not None:
        return call.input
    return "{}" if call.input in (None, "") else dump(call.input)


def input_object(call: Call) -> tuple[dict[str, Any], bool]:
    """
    Return a call's arguments as an object, and whether they had to be wrapped.

    An object that was encoded twice is decoded; other values are wrapped.
    """
    value = call.input
    if isinstance(value, dict):
        return value, False
    if value is None or value == "":
        return {}, False
    if isinstance(value, str) and (found := _object_in(value)) is not None:
        return found, False
    return {"input": value}, True


def value_text(value: Any) -> str:
    """Return a result's value as a text: a string as it is, the rest as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else dump(value)


def _object_in(text: str) -> dict[str, Any] | None:
    try:
        value = load(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
