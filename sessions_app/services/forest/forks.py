"""
Forks: sessions that share messages, and how they come apart.

A fork is one row that points at a message of another session. To the outside it
is a copy: so before a shared message is changed, the forks that share it are
*detached*, which means that they get messages of their own. Nothing else in the
code knows of this; whoever changes messages calls ``detach_forks_of`` first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.timezone import now
from uuid_utils.compat import uuid7

from sessions_app import search, sql
from sessions_app.ids import next_ids
from sessions_app.models import Message, Session
from sessions_app.services.forest import keeping
from sessions_app.services.forest.creating import check_key_is_free, insert_session
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.followers import tell_created, tell_forked
from sessions_app.services.forest.fork_copies import (
    Include,
    copy_compactions,
    copy_labels,
    copy_messages,
)
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.forest.totals import mend_hidden_tokens
from sessions_app.sql import climbs, walks

# Where messages are now, by where they were; what was nowhere still is.
Moved = dict[int | None, Any]

# What a fork has in common with the session it comes from.
COPIED = (
    "model",
    "source",
    "kind",
    "metadata",
    "compact_after",
    "kv_cap",
    "transcript_cap",
)

# Parameters: id, session, parent, skip, old (the message copied).
COPY_MESSAGE = """
INSERT INTO sessions_app_message (
    id, session_id, uid, parent_id, skip, depth, role, tokens, path_tokens, seq,
    created_at, body
)
SELECT
    %(id)s, %(session)s, uid, %(parent)s, %(skip)s, depth, role, tokens, path_tokens,
    seq, created_at, body
FROM sessions_app_message
WHERE id = %(old)s
"""

# Parameters: id, parent, skip, old.
MOVE_MESSAGE = """
UPDATE sessions_app_message
SET id = %(id)s, parent_id = %(parent)s, skip = %(skip)s
WHERE id = %(old)s
"""


@transaction.atomic
def fork_session(
    *,
    session: Session,
    at: str | None = None,
    name: str = "",
    key: str | None = None,
    include: Include = "path",
    blocks: bool = True,
    compactions: bool = True,
) -> Session:
    """
    Return a new session that goes on from a message of another, by default its head.

    It shares the path to there, at a cost that does not depend on how long that is.
    What else it includes is copied: the branches below, or the whole tree; then its
    head is the other's, if that is taken along. Labels come along; usage starts at
    zero. Without ``blocks`` it gets its agent's templates, as a new session does.

    :raises NotFound: if the session has no message ``at``
    :raises SessionExists: if the agent has a session with that key
    """
    session = lock_session(session)
    point = _fork_point(session, at)
    key = key or str(uuid7())
    check_key_is_free(session.agent_id, key)
    moment = now()
    fork = insert_session(
        agent_id=session.agent_id,
        key=key,
        name=name or session.name,
        parent_session=session,
        fork_point=point,
        head=point,
        message_count=point.depth + 1 if point else 0,
        next_seq=point.seq + 1 if point else 0,
        created_at=moment,
        updated_at=moment,
        **{field: getattr(session, field) for field in COPIED},
    )
    if point:
        copies = copy_messages(session, fork, include)
        if compactions:
            copy_compactions(copies)
        copy_labels(copies)
        mend_hidden_tokens(fork)
    if blocks:
        tell_forked(session, fork)
    else:
        tell_created(fork)
    return fork


def detach_forks_of(message_id: int) -> None:
    """
    Give the forks that share a message their own copies, before it is changed.

    Asks until there are none: while we waited for a fork's lock, its holder may have
    forked it.
    """
    while forks := sql.rows(climbs.FORKS_SHARING, message=message_id):
        for (session_id,) in forks:
            detach(session_id)


def detach_forks_into(session_id: int) -> None:
    """Give the forks that share any message of a session their own copies."""
    forks = Session.objects.filter(fork_point__session=session_id).order_by("-id")
    while fork_ids := list(forks.values_list("id", flat=True)):
        for fork_id in fork_ids:
            detach(fork_id)


def detach(session_id: int) -> None:
    """
    Give a fork its own copies of the messages that it shares, with the same ids.

    Its own messages are moved behind the copies: a parent must have the smaller
    primary key. Does nothing where nothing is shared any more, or the fork is gone.
    """
    session = Session.objects.select_for_update().filter(id=session_id).first()
    if session is None or session.fork_point_id is None:
        return
    # Those that fork off our own messages share the same path, and could not
    # follow when ours are moved.
    detach_forks_into(session_id)
    shared = sql.rows(walks.ANCESTRY, message=session.fork_point_id)[::-1]
    rows = Message.objects.filter(session=session_id)
    own = list(rows.values_list("id", "parent_id", "skip"))
    # Those that are gone get places among the others, for when they come back.
    gone = keeping.links(session_id)
    links = [*shared, *sorted([*own, *gone], key=lambda link: link[0])]
    new_ids = next_ids(len(links))
    moved: Moved = dict(zip((old for old, _, _ in links), new_ids, strict=True))
    moved[None] = None
    changes = [
        {
            "session": session_id,
            "old": old,
            "id": moved[old],
            "parent": moved[parent],
            "skip": moved[skip],
        }
        for old, parent, skip in [*shared, *sorted(own)]
    ]
    sql.execute_many(COPY_MESSAGE, changes[: len(shared)])
    sql.execute_many(MOVE_MESSAGE, changes[len(shared) :])
    keeping.follow(session_id, moved)
    _follow(session, moved, [old for old, _, _ in shared])


def _follow(session: Session, moved: Moved, shared: Sequence[int]) -> None:
    """Point everything of a session at where its messages are now."""
    search.copy([(old, moved[old]) for old in shared], session_id=session.id)
    copied = set(shared)
    search.move([(old, moved[old]) for old in moved if old and old not in copied])
    for compaction in session.compactions.all():
        compaction.first_id = moved[compaction.first_id]
        compaction.last_id = moved[compaction.last_id]
        compaction.save(update_fields=["first", "last"])
    for label in session.labels.all():
        label.message_id = moved[label.message_id]
        label.save(update_fields=["message"])
    for usage in session.usage_rows.exclude(message=None):
        usage.message_id = moved[usage.message_id]
        usage.save(update_fields=["message"])
    session.head_id = moved[session.head_id]
    session.fork_point_id = None
    session.save(update_fields=["head", "fork_point"])


def _fork_point(session: Session, at: str | None) -> Message | None:
    point = session.head_id if at is None else get_place(session, at).id
    if point is None:
        return None
    return Message.objects.defer("body").get(id=point)
