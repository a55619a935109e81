"""Where a batch goes, when the caller and the session may differ on it."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from sessions_app import sql
from sessions_app.errors import Conflict, Invalid
from sessions_app.services.forest.finding import find_place, is_on_path
from sessions_app.sql.writes import SessionRow

OnConflict = Literal["reject", "branch", "append"]

# How many of the missed messages' ids a refusal lists; it always counts them all.
MOST_MISSED = 100

HEAD = """
SELECT uid, depth FROM sessions_app_message WHERE id = %(message)s
"""

# The newest ids on the path from a head down to a message that was expected there.
# Parameters: head, expected, limit.
MISSED = """
WITH RECURSIVE missed (step, id, above_id) AS (
    SELECT 0, CAST(NULL AS bigint), CAST(%(head)s AS bigint)
    UNION ALL
    SELECT missed.step + 1, message.id, message.parent_id
    FROM missed
    JOIN sessions_app_message message ON message.id = missed.above_id
    WHERE missed.step < %(limit)s AND missed.above_id > %(expected)s
)
SELECT message.uid
FROM missed
JOIN sessions_app_message message ON message.id = missed.id
ORDER BY missed.step DESC
"""


class UnknownParent(Invalid):
    code = "unknown_parent"


class HeadMoved(Conflict):
    """The session has gone on since the caller last saw it."""

    code = "head_moved"


def base_for(
    session: SessionRow,
    *,
    parent: str | None | UnsetType,
    expected_head: str | None | UnsetType,
    on_conflict: OnConflict,
) -> int | None:
    """
    Return the message that a batch is to follow; None makes it a new root.

    :raises UnknownParent: if ``parent`` is not a message of the session
    :raises HeadMoved: if the head is not the expected one, and ``on_conflict`` is
        "reject", or is "branch" from a message that is gone
    """
    base = session.head_id
    if expected_head is not UNSET:
        expected = _place(session, expected_head)
        refused = on_conflict == "reject" or (
            on_conflict == "branch" and expected == GONE
        )
        if expected != session.head_id and refused:
            raise _head_moved(session, expected)
        if on_conflict == "branch":
            base = expected
    if parent is UNSET:
        return base
    place = _place(session, parent)
    if place == GONE:
        raise UnknownParent(f"The session has no message {parent!r}", parent=parent)
    return place


GONE = -1


def _place(session: SessionRow, uid: str | None) -> int | None:
    if uid is None:
        return None
    found = find_place(session, uid)
    return found.id if found else GONE


def _head_moved(session: SessionRow, expected: int | None) -> HeadMoved:
    if session.head_id is None:
        return HeadMoved(
            "The session is empty now", head=None, missed=[], missed_count=0
        )
    head, depth = sql.one(HEAD, message=session.head_id)
    if expected == GONE:
        return HeadMoved(
            "The session does not have the expected head", head=head, missed=None
        )
    if expected is not None and not is_on_path(expected, session.head_id):
        return HeadMoved("The head is on another branch now", head=head, missed=None)
    above = -1 if expected is None else sql.one(HEAD, message=expected)[1]
    missed = sql.rows(
        MISSED,
        head=session.head_id,
        expected=-1 if expected is None else expected,
        limit=MOST_MISSED,
    )
    return HeadMoved(
        "The session has gone on: read what was missed, or choose on_conflict",
        head=head,
        missed=[uid for (uid,) in missed],
        missed_count=depth - above,
    )
