"""
Keeping what is about to be changed, so that it can be had back.

Call these inside the transaction of the change, before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core import serializers

from sessions_app import sql
from sessions_app.models import (
    Compaction,
    KeptCompaction,
    KeptMessage,
    KeptUsage,
    Message,
    MessageChange,
    Session,
)
from sessions_app.sql import changes

Action = MessageChange.Action
What = KeptMessage.What

# As many ids as a change names of the messages that it is about.
NAMED = 5
# As much as a row keeps of who did it.
LONGEST = 300

# Where kept things are, after the messages of their session got other primary keys.
MOVE_MESSAGE = """
UPDATE sessions_app_keptmessage
SET ref = %(ref)s, parent = %(parent)s, skip = %(skip)s
WHERE id = %(id)s
"""
MOVE_USAGE = "UPDATE sessions_app_keptusage SET ref = %(ref)s WHERE id = %(id)s"


def begin(session: Session, action: str, by: str, uids: Sequence[str]) -> MessageChange:
    return MessageChange.objects.create(
        session=session,
        action=action,
        by=by[:LONGEST],
        first=list(uids[:NAMED]),
        head=session.head_id,
        head_after=session.head_id,
        next_seq=session.next_seq,
    )


def finish(
    change: MessageChange, session: Session, count: int, uids: Sequence[str]
) -> None:
    """Note what came of a change that removed messages."""
    change.count = count
    change.first = list(uids[:NAMED])
    change.head_after = session.head_id
    change.save(update_fields=["count", "first", "head_after"])


def keep_edited(session: Session, message: Message, by: str) -> None:
    """Keep a message that is to be written over: two statements."""
    change = begin(session, Action.EDIT, by, [message.uid])
    sql.execute(changes.EDITED, change=change.id, step=0, message=message.id)


def keep_removed(change: MessageChange, step: int, message: Message) -> None:
    """Keep a message that is to go: alone, or as the change says with all below it."""
    below = change.action == Action.SUBTREE
    query = changes.WITH_BELOW if below else changes.ALONE
    sql.execute(query, change=change.id, step=step, message=message.id)
    sql.execute(changes.USAGE, change=change.id, step=step)


def keep_cleared(session: Session, by: str) -> MessageChange:
    """Keep all messages of a session, which shares none, and its compactions."""
    named = session.messages.order_by("id").values_list("uid", flat=True)[:NAMED]
    change = begin(session, Action.CLEAR, by, list(named))
    sql.execute(changes.ALL, change=change.id, step=0, session=session.id)
    sql.execute(changes.USAGE, change=change.id, step=0)
    kept = [kept_whole(change, 0, each) for each in session.compactions.order_by("id")]
    KeptCompaction.objects.bulk_create(kept)
    return change


def kept_whole(
    change: MessageChange, step: int, compaction: Compaction
) -> KeptCompaction:
    return KeptCompaction(
        change=change,
        step=step,
        ref=compaction.id,
        first=compaction.first_id,
        last=compaction.last_id,
        row=serializers.serialize("json", [compaction]),
    )


def links(session_id: int) -> list[tuple[int, int | None, int | None]]:
    """Return the primary keys that are kept for messages that are gone, and their links."""
    return list(
        KeptMessage.objects.filter(
            change__session=session_id, what=What.GONE
        ).values_list("ref", "parent", "skip")
    )


def follow(session_id: int, moved: Mapping[int | None, Any]) -> None:
    """Point what is kept of a session at where its messages are now."""
    for change in MessageChange.objects.filter(session=session_id):
        change.head = moved.get(change.head, change.head)
        change.head_after = moved.get(change.head_after, change.head_after)
        change.save(update_fields=["head", "head_after"])
    kept = KeptMessage.objects.filter(change__session=session_id)
    sql.execute_many(
        MOVE_MESSAGE,
        list(_moved(kept.values("id", "ref", "parent", "skip"), moved)),
    )
    usage = KeptUsage.objects.filter(change__session=session_id)
    sql.execute_many(MOVE_USAGE, list(_moved(usage.values("id", "ref"), moved)))
    for each in KeptCompaction.objects.filter(change__session=session_id):
        each.first = moved.get(each.first, each.first)
        each.last = moved.get(each.last, each.last)
        each.save(update_fields=["first", "last"])


def _moved(
    rows: Any, moved: Mapping[int | None, Any]
) -> Iterator[dict[str, int | None]]:
    for row in rows:
        key = row.pop("id")
        yield {"id": key} | {name: moved.get(at, at) for name, at in row.items()}
