"""Entries of blocks among what an operator's search finds."""

from __future__ import annotations

from context_app.models import Entry
from sessions_app import search
from sessions_app.models import Agent, SearchDocument, Session
from sessions_app.models.fields import now_millis
from sessions_app.search import Others
from sessions_app.search.query import Query
from sessions_app.search.snippets import snippet
from sessions_app.services.searching import elsewhere
from sessions_app.services.searching.elsewhere import Elsewhere

BEST = 20

# Parameters: agent and session, or null.
LIVING = """
document.ref IN (
    SELECT entry.id
    FROM context_app_entry entry
    JOIN context_app_block block ON block.id = entry.block_id
    LEFT JOIN sessions_app_session session ON session.id = block.session_id
    WHERE session.trashed_at IS NULL
        AND (session.expires_at IS NULL OR session.expires_at > %(now)s)
        AND (CAST(%(agent)s AS bigint) IS NULL
            OR COALESCE(block.agent_id, session.agent_id) = %(agent)s)
        AND (CAST(%(session)s AS bigint) IS NULL
            OR block.session_id = %(session)s
            OR (block.shared AND block.agent_id = %(owner)s))
)
"""


def register() -> None:
    elsewhere.finders.append(find_entries)


def find_entries(
    query: Query, agent: Agent | None, session: Session | None
) -> list[Elsewhere]:
    """Return the best entries; of a session, those that it sees."""
    params = {
        "agent": agent.pk if agent else None,
        "session": session.pk if session else None,
        "owner": session.agent_id if session else None,
    }
    where = Others(SearchDocument.Kind.ENTRY, LIVING, params)
    found = search.find(query, where, limit=BEST, offset=0, now=now_millis())
    documents = SearchDocument.objects.in_bulk(
        [match.document for match in found.matches]
    )
    entries = Entry.objects.select_related(
        "block__agent", "block__session__agent"
    ).in_bulk([document.ref for document in documents.values()])
    hits = []
    for match in found.matches[:BEST]:
        document = documents.get(match.document)
        entry = entries.get(document.ref) if document else None
        # One may have been deleted since it was found.
        if document and entry:
            hits.append(_hit(entry, snippet(document.text, query)))
    return hits


def _hit(entry: Entry, text: str) -> Elsewhere:
    block = entry.block
    agent = block.session.agent if block.session else block.agent
    return Elsewhere(
        block=block.pk,
        label=block.label,
        key=entry.key,
        version=entry.version,
        agent=agent.name if agent else "",
        session=block.session,
        snippet=text,
        updated_at=entry.updated_at,
    )
