"""Looking things up: a parsed query and a scope in, documents out, best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from sessions_app import sql
from sessions_app.search.backends import backend
from sessions_app.search.lookups import Lookup
from sessions_app.search.others import Others
from sessions_app.search.query import Query

# How many of a scope's newest documents are read where no index serves.
SCANNED = 20_000


@dataclass(frozen=True, slots=True)
class Scope:
    """
    Where to look; what is None does not narrow it.

    ``path`` is a message: of its session's path, it and all above. With ``session``
    too, the whole session and what it inherits along that path. Times are in
    milliseconds, ``until`` excluded. ``first``: only messages that follow none.
    """

    agent: int | None = None
    session: int | None = None
    path: int | None = None
    role: str | None = None
    since: int | None = None
    until: int | None = None
    first: bool = False


class Match(NamedTuple):
    document: int
    score: float


@dataclass(slots=True)
class Found:
    """The best matches, and whether a scan had to stop before the oldest document."""

    matches: list[Match]
    scanned: int = 0
    complete: bool = True


PATH = """
WITH RECURSIVE path (id, parent_id) AS (
    SELECT id, parent_id FROM sessions_app_message WHERE id = %(path)s
    UNION ALL
    SELECT message.id, message.parent_id
    FROM path
    JOIN sessions_app_message message ON message.id = path.parent_id
)
"""

ON_PATH = "(document.kind = 'message' AND document.ref IN (SELECT id FROM path))"

MESSAGE = """
JOIN sessions_app_message message
    ON message.id = document.ref AND document.kind = 'message'
"""

SESSION = """
JOIN sessions_app_session session ON session.id = document.session_id
"""

SESSION_LIVES = """
    session.trashed_at IS NULL
    AND (session.expires_at IS NULL OR session.expires_at > %(now)s)
"""


Where = Scope | Others


def find(query: Query, scope: Where, *, limit: int, offset: int, now: int) -> Found:
    """
    Return matches from the ``offset``th best on; one more than ``limit`` if there are.

    A query without groups finds nothing. ``now`` is in milliseconds.
    """
    found = Found([])
    best: dict[int, float] = {}
    wanted = {"limit": offset + limit + 1, "now": now}
    for lookup in backend().lookups(query):
        if lookup.scan:
            _note_scan(found, scope, now)
        statement, params = _statement(lookup, scope)
        for document, score in sql.rows(statement, **params, **wanted):
            best[document] = max(score, best.get(document, score))
    ranked = sorted(best.items(), key=lambda match: (-match[1], -match[0]))
    found.matches = [Match(*match) for match in ranked[offset : offset + limit + 1]]
    return found


def _statement(lookup: Lookup, scope: Where) -> tuple[str, dict[str, Any]]:
    """Put the parts together; each is a constant, and every value a parameter."""
    source, narrowing = _narrow(scope)
    if lookup.scan:
        documents = f"({_newest(scope)}) document"
        narrowing = []
        source = ""
    else:
        documents = lookup.source
        narrowing = [*narrowing, *_within(lookup, scope)]
    conditions = " AND ".join([*lookup.conditions, *narrowing]) or "1 = 1"
    statement = f"""{_path(scope)}
        SELECT document.id, {lookup.score} AS score
        FROM {documents} {source}
        WHERE {conditions}
        ORDER BY score DESC, document.id DESC
        LIMIT %(limit)s
    """
    return statement, lookup.params | _values(scope)


def _within(lookup: Lookup, scope: Where) -> list[str]:
    """Return what lets an index pass by the documents of others."""
    if isinstance(scope, Others):
        return [lookup.within_kind] if lookup.within_kind else []
    return [lookup.within] if lookup.within and scope.session and not scope.path else []


def _newest(scope: Where) -> str:
    source, narrowing = _narrow(scope)
    return f"""
        SELECT document.*
        FROM sessions_app_searchdocument document {source}
        WHERE {" AND ".join(narrowing)}
        ORDER BY document.id DESC
        LIMIT {SCANNED}
    """


def _narrow(scope: Where) -> tuple[str, list[str]]:
    """Return the joins and the conditions that keep documents to a scope."""
    if isinstance(scope, Others):
        return "", ["document.kind = %(kind)s", scope.condition]
    conditions = []
    if scope.session is None and scope.path is None:
        # Else the caller has found the session, and a fork outlives what it shares.
        conditions.append(SESSION_LIVES)
    if scope.agent is not None:
        conditions.append("session.agent_id = %(agent)s")
    if scope.session is not None and scope.path is not None:
        conditions.append(f"(document.session_id = %(session)s OR {ON_PATH})")
    elif scope.session is not None:
        conditions.append("document.session_id = %(session)s")
    elif scope.path is not None:
        conditions.append(ON_PATH)
    by_message = _by_message(scope)
    return SESSION + (MESSAGE if by_message else ""), conditions + by_message


def _by_message(scope: Scope) -> list[str]:
    """Return the conditions on the messages themselves."""
    conditions = []
    if scope.role is not None:
        conditions.append("message.role = %(role)s")
    if scope.since is not None:
        conditions.append("message.created_at >= %(since)s")
    if scope.until is not None:
        conditions.append("message.created_at < %(until)s")
    if scope.first:
        conditions.append("message.depth = 0")
    return conditions


def _path(scope: Where) -> str:
    return PATH if isinstance(scope, Scope) and scope.path is not None else ""


def _values(scope: Where) -> dict[str, Any]:
    if isinstance(scope, Others):
        return {"kind": scope.kind, **scope.params}
    return {
        "agent": scope.agent,
        "session": scope.session,
        "path": scope.path,
        "role": scope.role,
        "since": scope.since,
        "until": scope.until,
    }


def _note_scan(found: Found, scope: Where, now: int) -> None:
    source, narrowing = _narrow(scope)
    (count,) = sql.one(
        f"""{_path(scope)}
        SELECT count(*) FROM (
            SELECT 1
            FROM sessions_app_searchdocument document {source}
            WHERE {" AND ".join(narrowing)}
            LIMIT {SCANNED + 1}
        ) documents
        """,
        **_values(scope),
        now=now,
    )
    found.scanned = min(count, SCANNED)
    found.complete = found.complete and count <= SCANNED
