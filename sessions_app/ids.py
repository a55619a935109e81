"""
Primary keys of messages, known before the rows are written.

So a batch can be inserted at once with its parents in place, and a fork's rows
can be moved past all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.db import connection

from sessions_app import sql

# AUTOINCREMENT gives no id twice, but a row may have been moved past its memory, and
# then deleted: what was deleted comes back under its key.
SQLITE_LAST = """
SELECT max(
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'sessions_app_message'), 0),
    coalesce((SELECT max(id) FROM sessions_app_message), 0),
    coalesce((SELECT max(ref) FROM sessions_app_keptmessage), 0)
)
"""

POSTGRES_NEXT = """
SELECT nextval(pg_get_serial_sequence('sessions_app_message', 'id'))
FROM generate_series(1, %(count)s)
"""


def next_ids(count: int) -> Sequence[int]:
    """
    Return ids for new messages, ascending and larger than all there are.

    Call it inside the transaction that inserts them.
    """
    return ALLOCATORS[connection.vendor](count)


def _from_sqlite(count: int) -> Sequence[int]:
    (last,) = sql.one(SQLITE_LAST)
    return range(last + 1, last + 1 + count)


def _from_postgres(count: int) -> Sequence[int]:
    return sorted(value for (value,) in sql.rows(POSTGRES_NEXT, count=count))


ALLOCATORS: dict[str, Callable[[int], Sequence[int]]] = {
    "sqlite": _from_sqlite,
    "postgresql": _from_postgres,
}
