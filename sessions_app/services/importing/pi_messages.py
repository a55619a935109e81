"""
From one Pi entry to one message.

user, assistant: their text, thinking, images and tool calls become parts; a call's state
is input-available, for its result is the message that follows. toolResult: a message of
the role "tool" with one tool part, output-available or output-error, and its images.
bashExecution (the user ran a command himself): what Pi shows the model, a user's message
with command and output as text; where Pi hides it from the model, a data part, which
search finds and no model gets. custom: a user's message. Summaries of branches and
compactions: a user's message with a heading.

What has no place in a part is in ``metadata.pi``: the rest of the entry as it is, with
the rest of its message. Usage that was counted is in the ledger instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from sessions_app.errors import Invalid
from sessions_app.messages import Draft
from sessions_app.services.importing.conversations import ImportedUsage
from sessions_app.services.importing.pi_parts import Part, read_parts, read_result
from sessions_app.services.importing.pi_usage import read_usage
from sessions_app.services.importing.plain import read_time
from sessions_app.services.importing.verbatim import (
    NOTHING,
    Members,
    members,
    without,
    write_message,
)

BRANCH = "[Summary of another branch of this conversation]"
COMPACTION = "[Summary of the conversation before this]"


class Read(NamedTuple):
    """What a message becomes, and which of its members are fully in that."""

    role: str
    parts: list[Part]
    taken: tuple[str, ...]


Reader = Callable[[dict[str, Any], Members], Read]


def is_message(kind: str, entry: dict[str, Any]) -> bool:
    return kind in ("message", "custom_message") or (
        kind == "branch_summary" and bool(entry.get("summary"))
    )


def read_message_entry(
    uid: str,
    entry: dict[str, Any],
    text: bytes,
    created_at: int | None,
    before: list[msgspec.Raw],
) -> tuple[Draft, ImportedUsage | None, list[str]]:
    """
    Return the message of an entry, its usage, and what is doubtful about it.

    :raises Invalid: if it cannot be a message
    """
    raw = members(text)
    if entry["type"] != "message":
        read = ENTRIES[entry["type"]](entry, raw)
        rest: dict[str, Any] = {**without(raw, "id", *read.taken)}
        return _write(uid, read, created_at, rest, before), None, []

    message = entry.get("message")
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise Invalid("a message needs a role")
    raw_message = members(raw["message"])
    read = ROLES.get(message["role"], _read_other)(message, raw_message)
    created_at = (
        read_time(message.get("timestamp")) if created_at is None else created_at
    )
    usage, doubts = read_usage(uid, message, raw_message, created_at)
    taken = (*read.taken, "usage") if usage else read.taken
    rest = {**without(raw, "id", "message"), "message": without(raw_message, *taken)}
    return _write(uid, read, created_at, rest, before), usage, doubts


def _write(
    uid: str,
    read: Read,
    created_at: int | None,
    rest: dict[str, Any],
    before: list[msgspec.Raw],
) -> Draft:
    if before:
        rest["before"] = before
    return write_message(
        uid=uid,
        role=read.role,
        parts=read.parts,
        created_at=created_at,
        metadata={"pi": rest},
    )


def _read_other(message: dict[str, Any], raw: Members) -> Read:
    parts = read_parts(message.get("content"), raw.get("content", NOTHING))
    return Read(message["role"], parts, ("role", "content"))


def _read_custom(message: dict[str, Any], raw: Members) -> Read:
    parts = read_parts(message.get("content"), raw.get("content", NOTHING))
    return Read("user", parts, ("content",))


def _read_result(message: dict[str, Any], raw: Members) -> Read:
    parts = read_result(message, raw)
    return Read("tool", parts, ("content", "toolCallId", "toolName", "isError"))


def _read_bash(message: dict[str, Any], raw: Members) -> Read:
    command, output = (message.get(name) for name in ("command", "output"))
    if not isinstance(command, str) or not isinstance(output, str | None):
        raise Invalid("a bashExecution needs a command and an output")
    lines = [f"$ {command}", output or "(no output)"]
    if message.get("cancelled"):
        lines.append("(cancelled)")
    elif message.get("exitCode"):
        lines.append(f"(exit code {message['exitCode']})")
    hidden = bool(message.get("excludeFromContext"))
    kind = "data-bash" if hidden else "text"
    return Read("user", [{"type": kind, "text": "\n".join(lines)}], ("output",))


def _read_summary(heading: str) -> Reader:
    def read(message: dict[str, Any], raw: Members) -> Read:
        summary = message.get("summary")
        if not isinstance(summary, str):
            raise Invalid("a summary needs a text")
        text = f"{heading}\n\n{summary}"
        return Read("user", [{"type": "text", "text": text}], ("summary",))

    return read


ROLES: dict[str, Reader] = {
    "toolResult": _read_result,
    "bashExecution": _read_bash,
    "custom": _read_custom,
    "hookMessage": _read_custom,
    "branchSummary": _read_summary(BRANCH),
    "compactionSummary": _read_summary(COMPACTION),
}

ENTRIES: dict[str, Reader] = {
    "custom_message": _read_custom,
    "branch_summary": _read_summary(BRANCH),
}
