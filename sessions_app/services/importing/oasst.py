"""
OpenAssistant's conversation trees: a tree a line, replies nested in what they answer.

A tree is a session, with all its branches. Replies are ordered by the rank that people
gave them, and the head is the end of the best-ranked path. Of each message its text is
the part; all else (rank, lang, reviews, emojis, ...) is in ``metadata.oasst``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sessions_app.errors import Invalid
from sessions_app.messages import preview
from sessions_app.services.importing.conversations import (
    Conversation,
    ImportedMessage,
    Line,
    Problem,
)
from sessions_app.services.importing.plain import read_metadata, read_time, without_nul
from sessions_app.services.importing.verbatim import parse_object, write_message

ROLES = {"prompter": "user"}
MAPPED = ("message_id", "parent_id", "text", "role", "replies")


class Reply(NamedTuple):
    """A message of a tree, and the id of the one above it that was read."""

    message: Any
    parent: str | None
    best: bool


def detect(lines: Sequence[bytes]) -> bool:
    return any(b'"message_tree_id"' in line and b'"prompt"' in line for line in lines)


def read(lines: Iterable[Line]) -> Iterator[Conversation | Problem]:
    for number, text in lines:
        if not text.strip():
            continue
        try:
            tree = parse_object(text)
            source_id, prompt = (
                tree.pop("message_tree_id", None),
                tree.pop("prompt", None),
            )
            if not isinstance(source_id, str) or not isinstance(prompt, dict):
                raise Invalid("is not a tree: it needs a message_tree_id and a prompt")
            metadata = read_metadata({"oasst": tree})
        except Invalid as exc:
            yield Problem(number, exc.message)
            continue
        problems: list[Problem] = []
        conversation = _read_tree(number, source_id, prompt, metadata, problems)
        yield from problems
        if conversation.messages:
            yield conversation


def _read_tree(
    line: int,
    source_id: str,
    prompt: dict[str, Any],
    metadata: dict[str, Any],
    problems: list[Problem],
) -> Conversation:
    """Return a tree's messages, depth first, the best-ranked reply before the others."""
    messages: dict[str, ImportedMessage] = {}
    head = None
    waiting = [Reply(prompt, None, best=True)]
    while waiting:
        message, parent, best = waiting.pop()
        try:
            found = _read_message(line, message, parent)
            if found.uid in messages:
                raise Invalid(f"message {found.uid} is there twice")
        except Invalid as exc:
            problems.append(Problem(line, exc.message))
        else:
            messages[found.uid] = found
            parent = found.uid
            head = parent if best else head
        for place, reply in reversed([*enumerate(_replies(message))]):
            waiting.append(Reply(reply, parent, best=best and place == 0))
    read = [*messages.values()]
    times = [
        each.draft.created_at for each in read if each.draft.created_at is not None
    ]
    return Conversation(
        source_id=source_id,
        source="oasst",
        name=without_nul(preview(read[0].draft.text)) if read else "",
        messages=read,
        head=head,
        line=line,
        created_at=min(times, default=None),
        metadata=metadata,
    )


def _read_message(line: int, message: Any, parent: str | None) -> ImportedMessage:
    if not isinstance(message, dict):
        raise Invalid("a reply is not an object")
    uid, text, role = (message.get(name) for name in ("message_id", "text", "role"))
    if (
        not isinstance(uid, str)
        or not isinstance(text, str)
        or not isinstance(role, str)
    ):
        raise Invalid("a message needs a message_id, a role and a text")
    rest = {name: value for name, value in message.items() if name not in MAPPED}
    draft = write_message(
        uid=uid,
        role=ROLES.get(role, role),
        parts=[{"type": "text", "text": text}],
        created_at=read_time(message.get("created_date")),
        metadata={"oasst": rest},
    )
    return ImportedMessage(draft, parent, line)


def _replies(message: Any) -> list[Any]:
    """Return the replies, by rank; those that have none come last."""
    replies = message.get("replies") if isinstance(message, dict) else None
    return sorted(replies, key=_rank) if isinstance(replies, list) else []


def _rank(reply: Any) -> float:
    rank = reply.get("rank") if isinstance(reply, dict) else None
    return rank if isinstance(rank, int | float) else math.inf
