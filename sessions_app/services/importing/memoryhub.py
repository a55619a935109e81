"""
Sessions as this server exports them: see ``memoryhub_lines``.

They come back as they were: ids, branches, labels, compactions, usage, head. A line of
a kind that we do not know is a problem, and the rest goes in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sessions_app.errors import Invalid
from sessions_app.messages import read_message
from sessions_app.models.fields import to_millis
from sessions_app.services import belongings
from sessions_app.services.importing.conversations import (
    Conversation,
    ImportedCompaction,
    ImportedMessage,
    Line,
    Problem,
)
from sessions_app.services.importing.memoryhub_lines import (
    NAME,
    TYPES,
    VERSION,
    CompactionLine,
    EndLine,
    Kind,
    LabelLine,
    MessageLine,
    SessionLine,
    UsageLine,
    body_of,
)
from sessions_app.services.importing.memoryhub_lines import Line as OurLine
from sessions_app.services.importing.ordering import parents_first
from sessions_app.services.importing.plain import read_metadata
from sessions_app.services.importing.verbatim import decode, parse_object

# What a new session takes from its line as it is.
COLUMNS = (
    "kind", "end_reason", "ephemeral", "compact_after", "kv_cap", "transcript_cap",
    "archived_at", "expires_at",
)  # fmt: skip
ENDS = ("id", "first", "last", "summary", "created_at")

_kinds = msgspec.json.Decoder(Kind)
_lines: msgspec.json.Decoder[OurLine] = msgspec.json.Decoder(OurLine)


@dataclass(slots=True)
class Found:
    """What was read of one session so far."""

    session: SessionLine
    line: int
    messages: dict[str, ImportedMessage] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    compactions: list[ImportedCompaction] = field(default_factory=list)
    usage: list[dict[str, Any]] = field(default_factory=list)
    belongings: list[dict[str, Any]] = field(default_factory=list)
    is_whole: bool = False


def detect(lines: Sequence[bytes]) -> bool:
    for text in lines:
        try:
            kind = decode(text, _kinds)
        except Invalid:
            continue
        return kind.type == "session" and kind.format == NAME
    return False


def read(lines: Iterable[Line]) -> Iterator[Conversation | Problem]:
    found: Found | None = None
    for line in lines:
        if not line.text.strip():
            continue
        try:
            each = _parse(line)
            if isinstance(each, SessionLine):
                yield from _conversation(found)
                found = None
                _check_version(each)
                found = Found(each, line.number)
            elif found is None:
                raise Invalid("stands before the first session")
            else:
                _add(found, line, each)
        except Invalid as exc:
            yield Problem(line.number, exc.message)
    yield from _conversation(found)


def _parse(line: Line) -> OurLine | dict[str, Any]:
    kind = decode(line.text, _kinds).type
    if kind in TYPES:
        return decode(line.text, _lines)
    if kind not in [each.type for each in belongings.kinds]:
        raise Invalid(f"a line of the unknown type {kind[:50]!r}: left out")
    return parse_object(line.text)


def _check_version(session: SessionLine) -> None:
    if session.format != NAME or session.version > VERSION:
        raise Invalid(f"a session of {session.format} version {session.version}")


def _add(found: Found, line: Line, each: OurLine | dict[str, Any]) -> None:
    """
    :raises Invalid: if the line cannot be a part of the session
    """
    match each:
        case MessageLine():
            message = _message(each, line)
            if message.uid in found.messages:
                raise Invalid(f"the id {message.uid} is there twice: the first counts")
            found.messages[message.uid] = message
        case LabelLine():
            found.labels[each.message] = each.text
        case CompactionLine():
            found.compactions.append(_compaction(each, line))
        case UsageLine():
            row = msgspec.structs.asdict(each)
            found.usage.append(row)
        case EndLine():
            found.is_whole = True
        case dict():
            found.belongings.append(each)


def _message(each: MessageLine, line: Line) -> ImportedMessage:
    draft = read_message(body_of(each.message), "message")
    if draft.uid is None or draft.is_reserved:
        raise Invalid("message.id: a message needs an id of its own")
    draft.created_at = to_millis(each.created_at)
    return ImportedMessage(draft, each.parent, line.number)


def _compaction(each: CompactionLine, line: Line) -> ImportedCompaction:
    given = msgspec.structs.asdict(each)
    return ImportedCompaction(
        uid=each.id,
        first=each.first,
        last=each.last,
        summary=each.summary,
        created_at=to_millis(each.created_at),
        line=line.number,
        columns={name: given[name] for name in given if name not in ENDS},
    )


def _conversation(found: Found | None) -> Iterator[Conversation | Problem]:
    if found is None:
        return
    session = found.session
    try:
        metadata = read_metadata(session.metadata)
    except Invalid as exc:
        yield Problem(found.line, f"{session.id} was left out: {exc.message}")
        return
    if not found.is_whole:
        yield Problem(found.line, f"{session.id}: the file was cut off before its end")
    problems: list[Problem] = []
    parents = {uid: each.parent for uid, each in found.messages.items()}

    def complain(uid: str, reason: str) -> None:
        problems.append(Problem(found.messages[uid].line, f"{uid}: {reason}"))

    ordered = [*parents_first(parents, complain)]
    messages = []
    for uid in ordered:
        each = found.messages[uid]
        messages.append(ImportedMessage(each.draft, parents[uid], each.line))
    yield from problems
    yield Conversation(
        source_id=session.id,
        key=session.id,
        source=session.source,
        name=session.name,
        messages=messages,
        head=session.head if session.head in found.messages else None,
        line=found.line,
        model=session.model,
        created_at=to_millis(session.created_at),
        updated_at=to_millis(session.updated_at),
        metadata=metadata,
        compactions=found.compactions,
        labels={k: v for k, v in found.labels.items() if k in found.messages},
        parent_session=session.parent_session,
        columns={name: getattr(session, name) for name in COLUMNS},
        ledger=found.usage,
        belongings=found.belongings,
    )
