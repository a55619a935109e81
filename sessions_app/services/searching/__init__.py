"""Finding what was said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sessions_app import search, sql
from sessions_app.models import SearchDocument
from sessions_app.models.fields import from_millis, now_millis
from sessions_app.search import Scope
from sessions_app.search.query import Query, parse_query
from sessions_app.search.snippets import snippet
from sessions_app.sql import hits


@dataclass(slots=True)
class Hit:
    """
    A message that was found.

    The matches in ``snippet`` stand between the characters 2 and 3; ``score`` is
    better when it is larger, and compares within one search only.
    """

    session: str
    agent: str
    message: str
    role: str
    kind: str
    snippet: str
    content: str
    score: float
    created_at: datetime


@dataclass(slots=True)
class Hits:
    """
    What was found, best first, and whether there is more.

    Short and partial terms have no index: then ``scanned`` counts the texts that were
    read for them, and ``complete`` says whether those were all.
    """

    hits: list[Hit]
    more: bool
    scanned: int
    complete: bool


def find_messages(*, text: str, scope: Scope, limit: int = 20, offset: int = 0) -> Hits:
    """
    Search messages with the syntax of ``search.query``; a blank query finds nothing.

    :raises InvalidQuery: if the query cannot be answered as it stands
    """
    query = parse_query(text)
    found = search.find(query, scope, limit=limit, offset=offset, now=now_millis())
    shown = found.matches[:limit]
    rows = sql.rows_of(hits.TEXTS, [match.document for match in shown])
    texts = {row[0]: row[1:] for row in rows if row[1] == SearchDocument.Kind.MESSAGE}
    return Hits(
        hits=[
            _hit(query, match.score, *texts[match.document])
            for match in shown
            # One may have been deleted since it was found.
            if match.document in texts
        ],
        more=len(found.matches) > limit,
        scanned=found.scanned,
        complete=found.complete,
    )


def _hit(
    query: Query,
    score: float,
    kind: str,
    text: str,
    session: str,
    agent: str,
    message: str,
    role: str,
    created_at: int,
) -> Hit:
    return Hit(
        session=session,
        agent=agent,
        message=message,
        role=role,
        kind=kind,
        snippet=snippet(text, query),
        content=text,
        score=score,
        created_at=from_millis(created_at),
    )
