"""
Reading messages from a request without losing a character of them.

The body is taken apart just far enough to have each message's own text, which is
what is stored; so ninja's pydantic schemas are no use here, and the endpoints
describe their bodies to OpenAPI by hand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import msgspec
from django.conf import settings
from django.http import HttpRequest
from msgspec import UNSET, UnsetType

from sessions_app.api.dialects import read_drafts
from sessions_app.errors import Invalid, TooLarge
from sessions_app.messages import Draft

Body = TypeVar("Body")

# A surrogate, as JSON writes it, without the one that it belongs to.
HALF_CHARACTER = re.compile(
    rb"\\u[dD](?:[89aAbB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89aAbB]..\\u[dD])[c-fC-F]..)"
)


class PlaceBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Where messages go, and in which dialect they are."""

    parent: str | None | UnsetType = UNSET
    expected_head: str | None | UnsetType = UNSET
    on_conflict: Literal["reject", "branch", "append"] = "reject"
    format: str | None = None

    def place(self) -> dict[str, Any]:
        """Return what ``append_messages`` takes besides the messages."""
        return {
            "parent": self.parent,
            "expected_head": self.expected_head,
            "on_conflict": self.on_conflict,
        }


class AppendBody(PlaceBody, kw_only=True):
    messages: list[msgspec.Raw]

    def drafts(self) -> list[Draft]:
        """
        :raises Invalid: if one of the messages is not a message
        :raises TooLarge: if there are too many
        """
        check_batch(self.messages)
        return read_drafts(self.messages, self.format)


def check_batch(messages: Sequence[msgspec.Raw]) -> None:
    """
    :raises Invalid: if there is no message
    :raises TooLarge: if there are too many
    """
    if not messages:
        raise Invalid("messages: must have at least one message", field="messages")
    if len(messages) > settings.MAX_BATCH:
        raise TooLarge(
            f"messages: at most {settings.MAX_BATCH:,} at a time: send several batches",
            field="messages",
            limit=settings.MAX_BATCH,
        )


class PutBody(msgspec.Struct, forbid_unknown_fields=True):
    message: msgspec.Raw
    parent: str | None | UnsetType = UNSET


def read_body(request: HttpRequest, shape: type[Body]) -> Body:
    """
    :raises Invalid: if the body is not JSON of that shape
    """
    body: Body = parse(request.body, shape)
    return body


def parse(content: bytes, shape: Any) -> Any:
    """
    :raises Invalid: if the content is not JSON of that shape
    """
    try:
        return msgspec.json.decode(content, type=shape)
    except RecursionError as exc:
        raise Invalid("The body is nested too deep") from exc
    except UnicodeDecodeError as exc:
        raise Invalid("The body is not UTF-8") from exc
    except msgspec.ValidationError as exc:
        rule, _, place = str(exc).partition(" - at `$.")
        if place:
            field = place.rstrip("`")
            raise Invalid(f"{field}: {rule}", field=field) from exc
        named = re.search("field `(.*)`$", rule)
        raise Invalid(rule, **({"field": named[1]} if named else {})) from exc
    except msgspec.DecodeError as exc:
        if HALF_CHARACTER.search(content):
            raise Invalid(
                r"The body holds half a character: a surrogate (\ud800 to \udfff) "
                "has to be one of a pair"
            ) from exc
        reason = str(exc).removeprefix("JSON is malformed: ")
        raise Invalid(f"The body is not valid JSON: {reason}") from exc


TEXT_OR_NULL = {"type": ["string", "null"]}

MESSAGE = {
    "type": "object",
    "description": "A message, stored and returned as it was sent: other keys are kept.",
    "properties": {
        "id": {
            **TEXT_OR_NULL,
            "maxLength": 200,
            "description": "Made by the server (a UUIDv7) where it is left out",
        },
        "role": {
            "type": "string",
            "minLength": 1,
            "maxLength": 100,
            "description": "user, assistant, system, tool, or any other word",
        },
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"type": {"type": "string"}},
                "required": ["type"],
            },
        },
        "content": {"description": "A string in place of parts is one text part"},
        "createdAt": {},
        "metadata": {},
    },
    "required": ["role"],
    "anyOf": [{"required": ["parts"]}, {"required": ["content"]}],
    "example": {"role": "user", "parts": [{"type": "text", "text": "Hello"}]},
}

PARENT = {
    **TEXT_OR_NULL,
    "description": "The message to follow. Left out: the head. Null: a new root.",
}


def documented(required: list[str], **properties: Any) -> dict[str, Any]:
    """Return what tells OpenAPI of a body that ninja does not read."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    content = {"application/json": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}


APPENDED: dict[str, Any] = {
    "messages": {"type": "array", "minItems": 1, "maxItems": 1000, "items": MESSAGE},
    "parent": PARENT,
    "expected_head": {
        **TEXT_OR_NULL,
        "description": "The head that the caller knows of. Null: an empty session.",
    },
    "on_conflict": {
        "type": "string",
        "enum": ["reject", "branch", "append"],
        "default": "reject",
        "description": "What to do when the head is another one than expected: refuse "
        "(409), make a branch from the expected one, or follow the present one",
    },
    "format": {
        **TEXT_OR_NULL,
        "description": "The dialect of the messages: see GET /formats. Left out: ours, "
        "kept to the letter",
    },
}

APPEND = documented(["messages"], **APPENDED)

PUT = documented(["message"], message=MESSAGE, parent=PARENT)
