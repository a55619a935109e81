"""A session as the lines of our own format: all of it, so that it can be had back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from sessions_app import sql
from sessions_app.models import Message, Session
from sessions_app.services import belongings
from sessions_app.services.importing.memoryhub_lines import (
    NAME,
    VERSION,
    CompactionLine,
    EndLine,
    LabelLine,
    Line,
    MessageLine,
    SessionLine,
    UsageLine,
    raw_body,
)
from sessions_app.sql import walks

# How many messages are read at once.
BATCH = 200
# The columns that stand in the lines under their own names.
SESSION = (
    "name", "model", "source", "kind", "end_reason", "metadata", "ephemeral",
    "compact_after", "kv_cap", "transcript_cap", "archived_at", "expires_at",
    "created_at", "updated_at",
)  # fmt: skip
COMPACTION = (
    "summary", "state", "method", "model", "cost_nanos", "created_by", "created_at",
)  # fmt: skip
USAGE = (
    "provider", "model", "purpose", "input_tokens", "output_tokens", "cache_read_tokens",
    "cache_write_tokens", "reasoning_tokens", "cache_write_1h_tokens", "cost_nanos",
    "cost_source", "computed_nanos", "price_snapshot", "latency_ms", "response_id", "raw",
    "created_at",
)  # fmt: skip


def export_session(session: Session) -> Iterator[bytes]:
    """
    Yield a session's lines. A fork is written with the messages that it shares.

    They are read as they are asked for: what is written meanwhile may be among them.
    """
    for line in _lines(session):
        yield msgspec.json.encode(line) + b"\n"


def _lines(session: Session) -> Iterator[Line | dict[str, Any]]:
    yield SessionLine(
        format=NAME,
        version=VERSION,
        id=session.key,
        agent=session.agent.name,
        parent_session=session.parent_session.key if session.parent_session else None,
        head=session.head.uid if session.head else None,
        **{name: getattr(session, name) for name in SESSION},
    )
    count = 0
    for message in _messages(session):
        count += 1
        yield message
    for label in session.labels.select_related("message").order_by("message"):
        yield LabelLine(label.message.uid, label.text)
    compactions = session.compactions.select_related("first", "last")
    for each in compactions.defer("first__body", "last__body").order_by("id"):
        yield CompactionLine(
            id=each.uid,
            first=each.first.uid,
            last=each.last.uid,
            **{name: getattr(each, name) for name in COMPACTION},
        )
    usage = session.usage_rows.select_related("message").defer("message__body")
    for row in usage.order_by("created_at", "id").iterator(BATCH):
        yield UsageLine(
            message=row.message.uid if row.message else None,
            **{name: getattr(row, name) for name in USAGE},
        )
    yield from belongings.export_all(session)
    yield EndLine(count)


def _messages(session: Session) -> Iterator[MessageLine]:
    """Yield the messages that a session sees, each after the one that it follows."""
    shared = []
    if session.fork_point_id is not None:
        walked = sql.rows(walks.ANCESTRY, message=session.fork_point_id)
        shared = [found for found, _, _ in walked][::-1]
    own = Message.objects.filter(session=session).order_by("id")
    ids = [*shared, *own.values_list("id", flat=True)]
    uids: dict[int, str] = {}
    for start in range(0, len(ids), BATCH):
        batch = Message.objects.in_bulk(ids[start : start + BATCH])
        for _, message in sorted(batch.items()):
            uids[message.id] = message.uid
            yield MessageLine(
                parent=uids.get(message.parent_id or 0),
                created_at=message.created_at,
                message=raw_body(message.body),
            )
