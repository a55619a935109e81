"""
JSON in and out without a loss.

What is only carried over stays the text that it was: no number changes its spelling or
its size on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec
import orjson

from sessions_app.errors import Invalid
from sessions_app.messages import Draft, read_message
from sessions_app.times import isoformat_millis

Members = dict[str, msgspec.Raw]
T = TypeVar("T")

NOTHING = msgspec.Raw(b"null")

_members = msgspec.json.Decoder(Members)
_items = msgspec.json.Decoder(list[msgspec.Raw])


def parse_object(text: bytes) -> dict[str, Any]:
    """
    Parse a line that must be an object, strictly: also a lone surrogate is an error.

    :raises Invalid: if it is not
    """
    try:
        parsed = orjson.loads(text)
    except orjson.JSONDecodeError as exc:
        raise Invalid(f"is not valid JSON: {exc.msg}") from exc
    if not isinstance(parsed, dict):
        raise Invalid("is not a JSON object")
    return parsed


def decode(text: bytes | msgspec.Raw, decoder: msgspec.json.Decoder[T]) -> T:
    """
    :raises Invalid: if the text is not JSON of the decoder's shape
    """
    try:
        return decoder.decode(text)
    except RecursionError as exc:
        raise Invalid("is nested too deep") from exc
    except UnicodeDecodeError as exc:
        raise Invalid("is not UTF-8") from exc
    except msgspec.MsgspecError as exc:
        raise Invalid(str(exc)) from exc


def members(text: bytes | msgspec.Raw) -> Members:
    """Return an object's members as the text that they are."""
    return decode(text, _members)


def items(text: bytes | msgspec.Raw) -> list[msgspec.Raw]:
    """Return an array's items as the text that they are."""
    return decode(text, _items)


def without(found: Members, *taken: str) -> Members:
    return {name: value for name, value in found.items() if name not in taken}


def write_message(
    *,
    uid: str,
    role: Any,
    parts: list[dict[str, Any]],
    created_at: int | None,
    metadata: Mapping[str, Any],
) -> Draft:
    """
    Return a message as though a client had sent it, with the time when it was made.

    :raises Invalid: if it is not one that the API would take
    """
    message: dict[str, Any] = {"id": uid, "role": role, "parts": parts}
    if created_at is not None:
        message["createdAt"] = isoformat_millis(created_at)
    message["metadata"] = metadata
    try:
        body = orjson.dumps(message, default=_as_it_is)
    except TypeError as exc:
        raise Invalid(f"message: cannot be written as JSON: {exc}") from exc
    draft = read_message(body, "message")
    if draft.is_reserved:
        raise Invalid(f"message.id: {uid!r} is reserved for summaries")
    draft.created_at = created_at
    return draft


def _as_it_is(value: Any) -> orjson.Fragment:
    if isinstance(value, msgspec.Raw):
        return orjson.Fragment(bytes(value))
    raise TypeError(f"Not JSON: {type(value).__name__}")
