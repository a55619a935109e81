"""
Sessions of the Pi coding agent: a header, then an entry a line.

An entry of version 1 follows the one before it; later ones name their parent, which
makes a tree. Entries that are messages (see ``pi_messages``) become one message each.
All others are bridged: what follows one follows the nearest message above it. They are
kept in ``metadata.pi.before`` of the first message below them, or, below the last, in
the session's ``metadata.pi.entries``. So nothing is lost, and of that:

* a compaction becomes ours, from the first message of its path to the last one before
  those that Pi keeps;
* a label names the message that it points to; the newest session_info names the session;
* a change of model or thinking level is counted as a setting.

The head is where the last entry of the file stands, as in Pi.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions_app.errors import Invalid
from sessions_app.services.importing.conversations import Conversation, Line, Problem
from sessions_app.services.importing.pi_tree import Entry, Tree
from sessions_app.services.importing.verbatim import parse_object

TYPES = (
    "session",
    "message",
    "thinking_level_change",
    "model_change",
    "compaction",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
)


@dataclass(slots=True)
class Lines:
    """
    The lines of one session, as they are read.

    ``places`` are the entries by their number in the file, as version 1 counts them:
    the header is 0, and what is not JSON does not count.
    """

    header: dict[str, Any] = field(default_factory=dict)
    first: Line | None = None
    entries: dict[str, Entry] = field(default_factory=dict)
    places: list[str | None] = field(default_factory=list)

    def is_linear(self, parsed: dict[str, Any]) -> bool:
        version = self.header.get("version", 1 if self.header else None)
        return version == 1 or (version is None and "id" not in parsed)


def detect(lines: Sequence[bytes]) -> bool:
    for line in lines:
        try:
            entry = parse_object(line)
        except Invalid:
            continue
        return entry.get("type") in TYPES and "timestamp" in entry
    return False


def read(lines: Iterable[Line]) -> Iterator[Conversation | Problem]:
    found = Lines()
    for line in lines:
        if not line.text.strip():
            continue
        try:
            parsed = parse_object(line.text)
            if parsed.get("type") == "session":
                yield from _conversation(found)
                found = Lines(header=parsed, first=line, places=[None])
            else:
                found.first = found.first or line
                _add(found, line, parsed)
        except Invalid as exc:
            yield Problem(line.number, exc.message)
    yield from _conversation(found)


def _add(found: Lines, line: Line, parsed: dict[str, Any]) -> None:
    """
    :raises Invalid: if the line is not an entry
    """
    found.places.append(None)
    kind = parsed.get("type")
    if not isinstance(kind, str):
        raise Invalid("an entry needs a type")
    uid: Any
    if found.is_linear(parsed):
        uid, parent = f"line-{line.number}", next(reversed(found.entries), None)
    else:
        uid, parent = parsed.get("id"), parsed.get("parentId")
        if not isinstance(uid, str) or not isinstance(parent, str | None):
            raise Invalid("an entry needs an id, and a parentId or null")
    if uid in found.entries:
        raise Invalid(f"the id {uid} is there twice: the first one counts")
    found.entries[uid] = Entry(uid, parent, kind, parsed, line)
    found.places[-1] = uid


def _conversation(found: Lines) -> Iterator[Conversation | Problem]:
    if found.first is None:
        return
    source_id = found.header.get("id")
    if not isinstance(source_id, str):
        # A file that lost its header: what it begins with stays the same.
        source_id = hashlib.sha256(found.first.text.strip()).hexdigest()[:32]
        yield Problem(
            found.first.number, "no header with an id: made one from this line"
        )
    tree = Tree(found.header, found.entries, found.places)
    conversation = tree.read(source_id, found.first.number)
    yield from tree.problems
    if conversation.messages:
        yield conversation
    else:
        yield Problem(found.first.number, "a session without messages")
