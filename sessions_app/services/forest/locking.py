"""
One writer at a time in a session.

On SQLite the transaction has the whole database; on PostgreSQL its row is locked,
always before anything else of the session is read.
"""

from __future__ import annotations

from sessions_app import sql
from sessions_app.errors import NotFound
from sessions_app.models import Session
from sessions_app.sql import writes
from sessions_app.sql.writes import SessionRow


def lock_session_row(session_id: int) -> SessionRow:
    """
    Return where a session stands, and keep others from writing to it.

    :raises NotFound: if it has gone since it was found
    """
    row = sql.first(sql.lock(writes.SESSION, "session"), session=session_id)
    if row is None:
        raise NotFound("The session is gone")
    return SessionRow(*row)


def lock_session(session: Session) -> Session:
    """
    Return a session as it stands now, and keep others from writing to it.

    :raises NotFound: if it has gone since it was found
    """
    try:
        return Session.objects.select_for_update(of=("self",)).get(id=session.id)
    except Session.DoesNotExist:
        raise NotFound(f"No session {session.key!r}") from None
