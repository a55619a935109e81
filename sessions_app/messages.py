"""
What a message is: reading one as it was sent, and the texts that are in it.

A message is kept as the very text that was sent, so that unknown keys, big
numbers and their spelling survive. It is parsed once, when it is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import orjson

from sessions_app.errors import Invalid
from sessions_app.tokens import compact_json, is_tool, message_tokens

RESERVED_PREFIX = "compaction_"
MAX_ID = 200
MAX_ROLE = 100
# orjson prints no deeper than 254 levels; the message's own take four.
MAX_DEPTH = 250
# A number of so many digits may not fit into 64 bits: orjson would round it. It is looked
# for with all digits the same: a pattern would take ten times as long as to parse.
LONG_NUMBER = b"0" * 18
DIGITS = bytes.maketrans(b"123456789", b"000000000")
# What breaks a line or a terminal; joiners, as in emoji, are not among them.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Characters of a tool's input or output, and of a whole message, that search sees.
MAX_TOOL_TEXT = 4_000
MAX_TEXT = 400_000


@dataclass(slots=True)
class Draft:
    """A message that has been read and checked, and not yet been written."""

    uid: str | None
    role: str
    body: str
    tokens: int
    text: str
    # Milliseconds; None is when it is written. For what was said elsewhere, earlier.
    created_at: int | None = None

    @property
    def is_reserved(self) -> bool:
        """Say whether it is the echo of a compaction, which is not to be stored."""
        return self.uid is not None and self.uid.startswith(RESERVED_PREFIX)

    def identify(self, uid: str) -> None:
        """Give an id to a message that was sent without one."""
        self.uid = uid
        self.body = f'{{"id":{_json_string(uid)},{self.body[1:]}'


def read_message(raw: bytes | msgspec.Raw, where: str) -> Draft:
    """
    Read a message from the JSON that was sent; ``where`` names it in errors.

    :raises Invalid: if it is not a message: the error names the field and the rule
    """
    raw = bytes(raw).strip()
    message = _parse(raw, where)
    uid = message.get("id")
    if uid is not None:
        check_name(uid, f"{where}.id", MAX_ID)
    role: Any = message.get("role")
    check_name(role, f"{where}.role", MAX_ROLE)

    if uid is None and "id" in message:
        raw = _without(raw, "id")
    if "parts" not in message and isinstance(message.get("content"), str):
        message["parts"] = [{"type": "text", "text": message["content"]}]
        raw = _with_content_as_parts(raw)
    _check_parts(message.get("parts"), where)
    return Draft(
        uid=uid,
        role=role,
        body=raw.decode(),
        tokens=message_tokens(message),
        text=search_text(message),
    )


def check_depth(raw: bytes, value: Any, where: str) -> None:
    """
    Check a JSON text and what orjson has made of it: however much is left of the stack,
    and however they recurse, those who work on it and print it again get through.

    :raises Invalid: if it is nested too deep
    """
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    try:
        orjson.dumps(value)
    except TypeError as exc:
        reason = f"{where}: is nested deeper than {MAX_DEPTH} levels"
        raise Invalid(reason, field=where) from exc


def check_name(value: Any, where: str, longest: int) -> None:
    """
    Check an id, a role or the like: a short string fit for a line of text.

    :raises Invalid: if it is not
    """
    if not isinstance(value, str):
        raise Invalid(f"{where}: must be a string", field=where)
    if not value.strip():
        raise Invalid(f"{where}: must not be empty", field=where)
    if len(value) > longest:
        raise Invalid(f"{where}: longer than {longest} characters", field=where)
    if CONTROL.search(value):
        raise Invalid(f"{where}: holds a control character", field=where)
    # In a path of a URL they are steps: a DELETE of such a message would reach its session.
    if value in (".", ".."):
        raise Invalid(f"{where}: must not be {value!r}", field=where)


def parse_body(body: str | bytes) -> dict[str, Any]:
    """Parse a stored message, whatever the size of its numbers."""
    text = body.decode() if isinstance(body, bytes) else body
    message: dict[str, Any] = (
        json.loads(text) if holds_long_number(text) else orjson.loads(text)
    )
    return message


def holds_long_number(text: str) -> bool:
    """Say whether a JSON text may have a number that orjson would not keep."""
    return LONG_NUMBER in text.encode().translate(DIGITS)


def print_json(value: Any) -> bytes:
    """Print JSON without spaces, whatever the size of its numbers."""
    try:
        return orjson.dumps(value)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode()


def search_text(message: Mapping[str, Any]) -> str:
    """Return what search finds a message by, tools and reasoning included."""
    text = "\n".join(filter(None, _texts(message["parts"])))
    return text.replace("\0", " ")[:MAX_TEXT]


def preview(text: str, longest: int = 100) -> str:
    """Return the beginning of a text, as one line."""
    line = " ".join(text[: longest * 4].split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def summary_message(
    *, uid: str, summary: str, created_at: str, compaction: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the message that stands in a history for what a compaction covers."""
    return {
        "id": RESERVED_PREFIX + uid,
        "role": "assistant",
        "parts": [{"type": "text", "text": summary}],
        "createdAt": created_at,
        "metadata": {"compaction": compaction},
    }


def summary_tokens(summary: str) -> int:
    """Return the tokens of the message that stands for a summary."""
    return message_tokens({"parts": [{"type": "text", "text": summary}]})


def _parse(raw: bytes, where: str) -> dict[str, Any]:
    try:
        message = orjson.loads(raw)
    except orjson.JSONDecodeError as exc:
        # What msgspec let pass in the whole body: most often a lone surrogate.
        raise Invalid(f"{where}: is not valid JSON: {exc.msg}", field=where) from exc
    check_depth(raw, message, where)
    if not isinstance(message, dict):
        raise Invalid(f"{where}: must be an object", field=where)
    return message


def _check_parts(parts: Any, where: str) -> None:
    if not isinstance(parts, list):
        raise Invalid(
            f"{where}.parts: must be an array of parts (or send a string as content)",
            field=f"{where}.parts",
        )
    for index, part in enumerate(parts):
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            field = f"{where}.parts[{index}]"
            raise Invalid(f"{field}: must be an object with a type", field=field)


def _with_content_as_parts(raw: bytes) -> bytes:
    members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    content = members.pop("content")
    members["parts"] = msgspec.Raw(b'[{"type":"text","text":' + bytes(content) + b"}]")
    return msgspec.json.encode(members)


def _without(raw: bytes, key: str) -> bytes:
    members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    del members[key]
    return msgspec.json.encode(members)


def _json_string(text: str) -> str:
    return orjson.dumps(text).decode()


def _texts(parts: list[Mapping[str, Any]]) -> Iterator[str]:
    for part in parts:
        kind = part["type"]
        if is_tool(kind):
            name = part.get("toolName")
            yield name if isinstance(name, str) else kind.removeprefix("tool-")
            for key in ("input", "output", "result", "errorText"):
                yield _value_text(part.get(key))[:MAX_TOOL_TEXT]
        else:
            for key in ("text", "reasoning"):
                yield _value_text(part.get(key))


def _value_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else compact_json(value)
