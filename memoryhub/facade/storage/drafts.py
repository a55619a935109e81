"""Messages as Python has them, read as those of a request are."""

from __future__ import annotations

from collections.abc import Mapping

from uuid_utils.compat import uuid7

from memoryhub.facade.storage import Message, Stored
from sessions_app.errors import Invalid
from sessions_app.messages import Draft, print_json, read_message


def identified(message: Message) -> Stored:
    """
    Return a copy of a message that has an id.

    :raises Invalid: if it is not a mapping, or its id not a text
    """
    if not isinstance(message, Mapping):
        raise Invalid("message: must be a dict", field="message")
    uid = message.get("id")
    if not isinstance(uid, str | None):
        raise Invalid("message.id: must be a string", field="message.id")
    return {**message, "id": str(uuid7()) if uid is None else uid}


def draft_of(message: Message) -> Draft:
    """
    :raises Invalid: if it is not a message, or holds what JSON cannot
    """
    try:
        raw = print_json(dict(message))
    except (TypeError, ValueError) as exc:
        raise Invalid(f"message: {exc}", field="message") from exc
    return read_message(raw, "message")
