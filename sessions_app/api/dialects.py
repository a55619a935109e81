"""Messages and answers in the dialects of model providers, as they come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import orjson
from uuid_utils.compat import uuid7

from sessions_app.errors import Invalid
from sessions_app.formats import Answer, get_format, identify_calls
from sessions_app.messages import (
    Draft,
    check_depth,
    parse_body,
    print_json,
    read_message,
)


def read_drafts(raws: Sequence[msgspec.Raw], format: str | None) -> list[Draft]:
    """
    Return messages ready to be written; without a format they are kept to the letter.

    :raises UnknownFormat: if there is no such dialect
    :raises Invalid: if one is not a message: the error names the field and the rule
    """
    if format is None:
        return [read_message(raw, f"messages[{n}]") for n, raw in enumerate(raws)]
    parse = get_format(format).parse
    values = [read_value(raw, f"messages[{n}]") for n, raw in enumerate(raws)]
    return as_drafts(parse(values), "messages")


def read_answer(raw: msgspec.Raw, format: str) -> Answer:
    """
    Return a model's whole response, taken apart.

    :raises UnknownFormat: if there is no such dialect
    :raises Invalid: if it is no response of that dialect
    """
    value = read_value(raw, "response")
    if not isinstance(value, dict):
        rule = "must be an object: the whole response, not the pieces of a stream"
        raise Invalid(f"response: {rule}", field="response")
    return get_format(format).parse_response(value)


def read_value(raw: msgspec.Raw, where: str) -> Any:
    """
    Return a JSON value, whatever the size of its integers.

    :raises Invalid: if it holds what JSON cannot say again, such as 1e999, or is nested
        too deep
    """
    content = bytes(raw)
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError as exc:
        raise Invalid(f"{where}: is not valid JSON: {exc.msg}", field=where) from exc
    check_depth(content, value, where)
    return parse_body(content)


def as_drafts(messages: Sequence[dict[str, Any]], where: str) -> list[Draft]:
    """
    :raises Invalid: if one cannot be stored
    """
    drafts = []
    for n, message in enumerate(messages):
        named = {"id": message.get("id") or str(uuid7()), **message}
        identify_calls(named)
        drafts.append(read_message(print_value(named, where), f"{where}[{n}]"))
    return drafts


def print_value(message: dict[str, Any], where: str) -> bytes:
    try:
        return print_json(message)
    except RecursionError as exc:
        raise Invalid(f"{where}: is nested too deep", field=where) from exc
