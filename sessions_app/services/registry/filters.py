"""Which sessions the list of all of them shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, F, OuterRef, Q

from sessions_app import search, sql
from sessions_app.models import Message, Session
from sessions_app.models.fields import now_millis
from sessions_app.models.sessions import SessionQuerySet
from sessions_app.search import Scope
from sessions_app.search.query import InvalidQuery, Query, parse_query

STATUSES: Mapping[str, Q] = {
    "active": Q(archived_at=None, trashed_at=None),
    "archived": Q(archived_at__isnull=False, trashed_at=None),
    "trash": Q(trashed_at__isnull=False),
    "all": Q(trashed_at=None),
}
# How many sessions are found by their first words.
BY_WORDS = 500

# Parameters: documents, put in as a list.
SESSIONS_OF = """
SELECT session_id FROM sessions_app_searchdocument WHERE id IN ({})
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFilter:
    """
    What is empty, None or False does not filter.

    ``q`` is part of the name or the id, or words of the first message. ``roots``
    leaves out what stands below another session that the filter's status shows.
    """

    q: str = ""
    agent: str = ""
    kind: str = ""
    source: str = ""
    tag: str = ""
    status: str = "active"
    since: datetime | None = None
    until: datetime | None = None
    cost_over: int | None = None
    branched: bool = False
    failed: bool = False
    roots: bool = False


def matching_sessions(wanted: SessionFilter) -> SessionQuerySet:
    shown = Session.objects.unexpired().filter(STATUSES[wanted.status])
    found = shown
    if wanted.roots:
        found = found.exclude(Exists(shown.filter(pk=OuterRef("parent_session"))))
    equal = {
        "agent__name": wanted.agent,
        "kind": wanted.kind,
        "source": wanted.source,
        "updated_at__gte": wanted.since,
        "updated_at__lt": wanted.until,
        "cost_nanos__gt": wanted.cost_over,
    }
    found = found.filter(
        **{name: value for name, value in equal.items() if value not in ("", None)}
    )
    if wanted.failed:
        found = found.filter(compaction_failed_at__isnull=False)
    if wanted.tag:
        found = found.filter(_has_tag(wanted.tag))
    if wanted.branched:
        found = found.filter(message_count__gt=F("head__depth") + 1).filter(_branches())
    if wanted.q:
        found = found.filter(
            Q(name__icontains=wanted.q)
            | Q(key__icontains=wanted.q)
            | Q(pk__in=_by_first_words(wanted.q))
        )
    return found


def _branches() -> Q:
    """Two leaves of its own; of a fork, one beside the message that it forks from."""
    own = Message.objects.filter(session=OuterRef("pk"))
    reply = Message.objects.filter(parent=OuterRef("pk"), session=OuterRef("session"))
    leaves = own.filter(~Exists(reply))
    below_point = own.filter(parent=OuterRef("fork_point"))
    beside = Q(fork_point__isnull=False) & Exists(own) & ~Exists(below_point)
    return Q(Exists(leaves[1:2])) | beside


def _has_tag(tag: str) -> Q:
    """SQLite has the list as Django wrote it, PostgreSQL prints it anew."""
    either = {json.dumps(tag), json.dumps(tag, ensure_ascii=False)}
    found = Q()
    for text in either:
        found |= Q(metadata__tags__icontains=text)
    return found


def _by_first_words(q: str) -> list[int]:
    """Return sessions by what their first message says; the last word may go on."""
    try:
        query: Query = parse_query(q if q.endswith(('"', "*")) else f"{q}*")
    except InvalidQuery:
        return []
    if not query or any(
        term.kind == "substring" for group in query.groups for term in group.wanted
    ):
        return []
    scope = Scope(first=True)
    found = search.find(query, scope, limit=BY_WORDS, offset=0, now=now_millis())
    documents = [match.document for match in found.matches]
    return [session for (session,) in sql.rows_of(SESSIONS_OF, documents)]
