"""Finding what was said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sessions_app import search
from sessions_app.models import Message, SearchDocument
from sessions_app.models.fields import now_millis
from sessions_app.search import Scope
from sessions_app.search.query import parse_query
from sessions_app.search.snippets import snippet


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
    documents = _documents([match.document for match in shown])
    hits = []
    for match in shown:
        # One may have been deleted since it was found.
        if match.document in documents:
            document, message = documents[match.document]
            hits.append(
                Hit(
                    session=message.session.key,
                    agent=message.session.agent.name,
                    message=message.uid,
                    role=message.role,
                    kind=document.kind,
                    snippet=snippet(document.text, query),
                    content=document.text,
                    score=match.score,
                    created_at=message.created_at,
                )
            )
    return Hits(
        hits=hits,
        more=len(found.matches) > limit,
        scanned=found.scanned,
        complete=found.complete,
    )


def _documents(ids: list[int]) -> Mapping[int, tuple[SearchDocument, Message]]:
    # Without a condition on the kind: SQLite would go through all of that kind.
    found = SearchDocument.objects.in_bulk(ids)
    documents = {
        id_: document
        for id_, document in found.items()
        if document.kind == SearchDocument.Kind.MESSAGE
    }
    messages = (
        Message.objects.select_related("session__agent")
        .defer("body")
        .in_bulk([document.ref for document in documents.values()])
    )
    return {
        id_: (document, messages[document.ref])
        for id_, document in documents.items()
        if document.ref in messages
    }
