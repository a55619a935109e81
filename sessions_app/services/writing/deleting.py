"""Taking messages out of a tree, and closing the gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from django.db import transaction
from django.utils.timezone import now

from sessions_app import search, sql
from sessions_app.models import (
    Compaction,
    KeptCompaction,
    Message,
    MessageChange,
    Session,
)
from sessions_app.services.forest.finding import find
from sessions_app.services.forest.forks import detach_forks_of
from sessions_app.services.forest.keeping import begin, finish, keep_removed, kept_whole
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.forest.totals import hidden_tokens
from sessions_app.services.writing.editing import own_message
from sessions_app.sql import climbs, walks

DeleteMode = Literal["reparent", "subtree"]

# Close the gap that a message leaves: all below it come up by one, past its tokens,
# and no link leads to it. Parameters: message, parent, tokens.
CLOSE_GAP = (
    walks.SUBTREE_IDS
    + """
UPDATE sessions_app_message
SET depth = depth - 1,
    path_tokens = path_tokens - %(tokens)s,
    parent_id = CASE WHEN parent_id = %(message)s
        THEN CAST(%(parent)s AS bigint) ELSE parent_id END,
    skip = CASE WHEN skip = %(message)s THEN CAST(%(parent)s AS bigint) ELSE skip END
WHERE id IN (SELECT id FROM subtree) AND id <> %(message)s
"""
)


@transaction.atomic
def delete_messages(
    *,
    session: Session,
    uids: Sequence[str],
    mode: DeleteMode = "reparent",
    by: str = "",
) -> int:
    """
    Delete messages, and return how many; ids that the session lacks are ignored.

    What follows a deleted message then follows its parent ("reparent"), or goes
    with it ("subtree"). Forks keep what they had, and what goes is kept as a change,
    which says by whom.
    """
    session = lock_session(session)
    deleted = 0
    change: MessageChange | None = None
    named: list[str] = []
    for step, uid in enumerate(uids):
        # A subtree may have taken it along.
        if not find(session, uid):
            continue
        message = own_message(session, uid)
        session.refresh_from_db()
        if mode == "subtree":
            gone = _below(message)
        else:
            detach_forks_of(message.id)
            gone = [message.id]
        change = change or begin(session, mode, by, [])
        named.append(uid)
        keep_removed(change, step, message)
        _shrink_compactions(session, message, gone, change, step)
        if mode == "reparent":
            sql.execute(
                CLOSE_GAP,
                message=message.id,
                parent=message.parent_id,
                tokens=message.tokens,
            )
        _remove(session, message, gone)
        deleted += len(gone)
    if change:
        finish(change, session, deleted, named)
        session.updated_at = now()
        session.save(update_fields=["updated_at"])
    return deleted


def _below(message: Message) -> list[int]:
    """Return a message and all below it, once no fork shares any of them."""
    detach_forks_of(message.id)
    rows = sql.rows(walks.SUBTREE_IDS + "SELECT id FROM subtree", message=message.id)
    return sorted(id_ for (id_,) in rows)


def _shrink_compactions(
    session: Session,
    message: Message,
    gone: Sequence[int],
    change: MessageChange,
    step: int,
) -> None:
    """Move the ends of compactions off messages that go, or drop what has none left."""
    going = set(gone)
    kept = []
    for compaction in Compaction.objects.filter(session=session):
        if compaction.first_id in going and compaction.last_id in going:
            kept.append(kept_whole(change, step, compaction))
            compaction.delete()
        elif compaction.first_id in going:
            (below,) = sql.one(
                climbs.CHILD_TOWARDS,
                message=compaction.first_id,
                descendant=compaction.last_id,
            )
            kept.append(
                KeptCompaction(
                    change=change,
                    step=step,
                    ref=compaction.id,
                    first=compaction.first_id,
                )
            )
            compaction.first_id = below
            compaction.save(update_fields=["first"])
        elif compaction.last_id in going and message.parent:
            kept.append(
                KeptCompaction(
                    change=change,
                    step=step,
                    ref=compaction.id,
                    last=compaction.last_id,
                )
            )
            compaction.last = message.parent
            compaction.save(update_fields=["last"])
    KeptCompaction.objects.bulk_create(kept)


def _remove(session: Session, message: Message, gone: Sequence[int]) -> None:
    search.remove(gone)
    for statement in (DELETE_LABEL, FORGET_IN_USAGE, DELETE):
        sql.execute_many(statement, [{"message": id_} for id_ in gone])
    if session.head_id in gone:
        session.head_id = next_head(session)
    session.message_count -= len(gone)
    session.hidden_tokens = hidden_tokens(session.id, session.head_id)
    session.save(update_fields=["head", "message_count", "hidden_tokens"])


DELETE_LABEL = "DELETE FROM sessions_app_label WHERE message_id = %(message)s"

FORGET_IN_USAGE = """
UPDATE sessions_app_usage SET message_id = NULL WHERE message_id = %(message)s
"""

DELETE = "DELETE FROM sessions_app_message WHERE id = %(message)s"

# The newest message that nothing of its session follows. Parameters: session.
NEWEST_LEAF = """
SELECT message.id
FROM sessions_app_message message
WHERE message.session_id = %(session)s
    AND NOT EXISTS (
        SELECT 1
        FROM sessions_app_message reply
        WHERE reply.parent_id = message.id AND reply.session_id = %(session)s
    )
ORDER BY message.seq DESC
LIMIT 1
"""


def next_head(session: Session) -> int | None:
    """Return the newest leaf, as the reference does when its tip is deleted."""
    leaf = sql.first(NEWEST_LEAF, session=session.id)
    return leaf[0] if leaf else session.fork_point_id
