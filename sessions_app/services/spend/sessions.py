"""What a session has cost: its own, with those below it, of a path, of its tree."""

from __future__ import annotations

from dataclasses import dataclass

from sessions_app import sql
from sessions_app.models import Session
from sessions_app.services.forest.finding import get_place
from sessions_app.services.spend.groups import Group
from sessions_app.services.spend.sums import Sums, sums_from

SEEN = ("own", "with_sub_sessions", "path", "tree")

_COLUMNS = """
    {calls}, {unpriced}, sum({of}.input_tokens), sum({of}.output_tokens),
    sum({of}.cache_read_tokens), sum({of}.cache_write_tokens),
    sum({of}.reasoning_tokens), sum({of}.cost_nanos), {computed}
"""
_OF_LEDGER = _COLUMNS.format(
    of="usage",
    calls="count(*)",
    unpriced="count(*) - count(usage.cost_nanos)",
    computed="sum(usage.computed_nanos)",
)
_OF_SESSIONS = _COLUMNS.format(
    of="session", calls="sum(session.calls)", unpriced="sum(session.unpriced)",
    computed="0",
)  # fmt: skip

# A session with all that were made from it, and from those. Parameters: session.
WITH_SUB_SESSIONS = f"""
WITH RECURSIVE below (id) AS (
    SELECT CAST(%(session)s AS bigint)
    UNION
    SELECT child.id
    FROM below
    JOIN sessions_app_session child ON child.parent_session_id = below.id
)
SELECT {_OF_SESSIONS}
FROM below
JOIN sessions_app_session session ON session.id = below.id
"""

# Calls on the messages from a leaf up to its root: the session's own, and those of the
# sessions that the messages belong to. Parameters: session, leaf.
_PATH = """
WITH RECURSIVE path (id, parent_id, session_id) AS (
    SELECT id, parent_id, session_id FROM sessions_app_message WHERE id = %(leaf)s
    UNION ALL
    SELECT message.id, message.parent_id, message.session_id
    FROM path
    JOIN sessions_app_message message ON message.id = path.parent_id
)
"""
ON_PATH = f"""{_PATH}
SELECT {_OF_LEDGER}
FROM path
JOIN sessions_app_usage usage ON usage.message_id = path.id
WHERE usage.session_id = path.session_id OR usage.session_id = %(session)s
"""

# Calls on what a fork shares, made before it was one or beside it. Parameters: session,
# leaf (its fork point).
SHARED = f"""{_PATH}
SELECT {_OF_LEDGER}
FROM path
JOIN sessions_app_usage usage ON usage.message_id = path.id
WHERE usage.session_id = path.session_id
"""

OWN_BY = f"""
SELECT usage.{{column}}, {_OF_LEDGER}
FROM sessions_app_usage usage
WHERE usage.session_id = %(session)s
GROUP BY usage.{{column}}
ORDER BY usage.{{column}}
"""
BY_MODEL = OWN_BY.format(column="model")
BY_PURPOSE = OWN_BY.format(column="purpose")


@dataclass(slots=True)
class SessionTotals:
    own: Sums
    with_sub_sessions: Sums
    path: Sums
    tree: Sums
    by_model: list[Group]
    by_purpose: list[Group]


def session_totals(*, session: Session, leaf: str | None = None) -> SessionTotals:
    """
    Return what a session has cost, and the path to ``leaf``, or to the head.

    The tree is all branches, with what a fork shares. A call that belongs to no message,
    as a compaction's, is in the tree and on no path.

    :raises NotFound: if the session has no message ``leaf``
    """
    place = session.head_id if leaf is None else get_place(session, leaf).id
    by_model = _groups(BY_MODEL, session.id)
    own = Sums()
    for group in by_model:
        own.add(group.sums)
    tree = Sums()
    tree.add(own)
    if session.fork_point_id is not None:
        tree.add(_sums(SHARED, session.id, session.fork_point_id))
    return SessionTotals(
        own=own,
        with_sub_sessions=sums_from(sql.one(WITH_SUB_SESSIONS, session=session.id)),
        path=_sums(ON_PATH, session.id, place),
        tree=tree,
        by_model=by_model,
        by_purpose=_groups(BY_PURPOSE, session.id),
    )


def _sums(query: str, session: int, leaf: int | None) -> Sums:
    return sums_from(sql.one(query, session=session, leaf=leaf))


def _groups(query: str, session: int) -> list[Group]:
    rows = sql.rows(query, session=session)
    return [Group(key, sums_from(row)) for key, *row in rows]
