"""
Finding a session's messages by the ids that the outside knows them by.

A session sees its own messages, and, if it is a fork, those on the path to its
fork point, which belong to other sessions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sessions_app import sql
from sessions_app.errors import NotFound
from sessions_app.messages import RESERVED_PREFIX
from sessions_app.models import Compaction
from sessions_app.sql import climbs

# Parameters: session, uid.
OWN = """
SELECT id, uid, depth, seq, tokens
FROM sessions_app_message
WHERE session_id = %(session)s AND uid = %(uid)s
"""

# The same for several ids; the list of them is put in as parameters.
OWN_SEVERAL = """
SELECT id, uid, depth, seq, tokens
FROM sessions_app_message
WHERE session_id = %(session)s AND uid IN ({})
"""

# The messages of an id along a session's lineage: the session itself, the one its
# fork point belongs to, the one that one was forked from, and so on. Parameters:
# session, uid.
INHERITED = """
WITH RECURSIVE lineage (session_id, fork_point_id) AS (
    SELECT id, fork_point_id FROM sessions_app_session WHERE id = %(session)s
    UNION
    SELECT source.id, source.fork_point_id
    FROM lineage
    JOIN sessions_app_message point ON point.id = lineage.fork_point_id
    JOIN sessions_app_session source ON source.id = point.session_id
)
SELECT message.id, message.uid, message.depth, message.seq, message.tokens
FROM lineage
JOIN sessions_app_message message
    ON message.session_id = lineage.session_id AND message.uid = %(uid)s
WHERE lineage.session_id <> %(session)s
"""


class Tree(Protocol):
    """What must be known of a session to see its messages."""

    @property
    def id(self) -> int: ...

    @property
    def fork_point_id(self) -> int | None: ...


class Found(NamedTuple):
    """What is known of a stored message without its body."""

    id: int
    uid: str
    depth: int
    seq: int
    tokens: int


def find(session: Tree, uid: str) -> Found | None:
    """Return a message that the session sees, or None."""
    own = sql.first(OWN, session=session.id, uid=uid)
    return Found(*own) if own is not None else _find_inherited(session, uid)


def _find_inherited(session: Tree, uid: str) -> Found | None:
    if session.fork_point_id is None:
        return None
    for row in sql.rows(INHERITED, session=session.id, uid=uid):
        if is_on_path(row[0], session.fork_point_id):
            return Found(*row)
    return None


def find_all(session: Tree, uids: Sequence[str]) -> dict[str, Found]:
    """Return those of the messages that the session sees, by their ids."""
    if len(uids) == 1:
        only = find(session, uids[0])
        return {only.uid: only} if only else {}
    rows = sql.rows_of(OWN_SEVERAL, _padded(uids), session=session.id)
    found = {row[1]: Found(*row) for row in rows}
    if session.fork_point_id is not None:
        others = (_find_inherited(session, uid) for uid in uids if uid not in found)
        found |= {each.uid: each for each in others if each}
    return found


def _padded(uids: Sequence[str]) -> list[str]:
    """Repeat the last one, up to a power of 2: few statements are to be kept prepared."""
    padded = list(uids)
    while len(padded).bit_count() > 1:
        padded.append(uids[-1])
    return padded


def get_found(session: Tree, uid: str) -> Found:
    """
    Return a message that the session sees.

    :raises NotFound: if it sees none of that id
    """
    found = find(session, uid)
    if found is None:
        raise NotFound(f"No message {uid!r} in this session")
    return found


def find_place(session: Tree, uid: str) -> Found | None:
    """
    Return the message that a place in a history stands for, or None.

    The id of a compaction's summary stands for the last message it covers.
    """
    if not uid.startswith(RESERVED_PREFIX):
        return find(session, uid)
    covered = Compaction.objects.filter(
        session=session.id, uid=uid.removeprefix(RESERVED_PREFIX)
    ).values_list("last__id", "last__uid", "last__depth", "last__seq", "last__tokens")
    return Found(*covered[0]) if covered else None


def get_place(session: Tree, uid: str) -> Found:
    """
    Return the message that a place in a history stands for; see ``find_place``.

    :raises NotFound: if there is none
    """
    found = find_place(session, uid)
    if found is None:
        raise NotFound(f"No message {uid!r} in this session")
    return found


def is_on_path(message: int, descendant: int) -> bool:
    """Say whether a message is an ancestor of another, or the same."""
    if message >= descendant:
        return message == descendant
    row = sql.first(climbs.IS_ON_PATH, message=message, descendant=descendant)
    return row is not None
