"""
Keeping the index in step: every message has one document, written with it.

Call these inside the transaction that writes the messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson

from sessions_app import sql
from sessions_app.search.backends import backend

REMOVE = """
DELETE FROM sessions_app_searchdocument
WHERE kind = 'message' AND ref = %(ref)s
"""

REMOVE_MESSAGES = """
DELETE FROM sessions_app_searchdocument
WHERE kind = 'message' AND session_id = %(session)s
"""

REMOVE_SESSION = """
DELETE FROM sessions_app_searchdocument WHERE session_id = %(session)s
"""

MOVE = """
UPDATE sessions_app_searchdocument
SET ref = %(new)s
WHERE kind = 'message' AND ref = %(old)s
"""


def index(session_id: int, texts: Iterable[tuple[int, str]]) -> None:
    """Add the texts of new messages, given with their primary keys."""
    backend().insert(session_id, texts)


def reindex(message_id: int, text: str) -> None:
    """Replace the text of a message."""
    used = backend()
    sql.execute(used.UPDATE, ref=message_id, **used.document(text))


def copy(
    pairs: Sequence[tuple[int, int]],
    *,
    session_id: int | None = None,
    kind: str = "message",
) -> None:
    """Give copies, as (old, new) keys, documents like those of what they are copies of."""
    listed = orjson.dumps(pairs).decode()
    sql.execute(backend().COPY, kind=kind, session=session_id, pairs=listed)


def move(pairs: Iterable[tuple[int, int]]) -> None:
    """Follow messages whose primary keys changed, given as (old, new)."""
    sql.execute_many(MOVE, [{"old": old, "new": new} for old, new in pairs])


def remove(message_ids: Iterable[int]) -> None:
    sql.execute_many(REMOVE, [{"ref": ref} for ref in message_ids])


def remove_messages_of(session_id: int) -> None:
    sql.execute(REMOVE_MESSAGES, session=session_id)


def remove_session(session_id: int) -> None:
    """Remove what is found in a session, messages and all else."""
    sql.execute(REMOVE_SESSION, session=session_id)


def check() -> None:
    """
    Compare the index with the documents.

    :raises DatabaseError: if they differ
    """
    backend().check()


def rebuild() -> None:
    """Make the index anew from the documents."""
    backend().rebuild()


def missing() -> int:
    """Return how many messages have no document; 0 when all is in step."""
    count: int = sql.one(MISSING)[0]
    return count


def orphans() -> int:
    """Return how many documents have no message; 0 when all is in step."""
    count: int = sql.one(ORPHANS)[0]
    return count


MISSING = """
SELECT count(*)
FROM sessions_app_message message
WHERE NOT EXISTS (
    SELECT 1 FROM sessions_app_searchdocument document
    WHERE document.kind = 'message' AND document.ref = message.id
)
"""

ORPHANS = """
SELECT count(*)
FROM sessions_app_searchdocument document
WHERE document.kind = 'message' AND NOT EXISTS (
    SELECT 1 FROM sessions_app_message message WHERE message.id = document.ref
)
"""
