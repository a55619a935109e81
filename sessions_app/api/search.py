"""Search over what was said."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

import orjson
from django.http import HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Filters, Moment, When
from sessions_app.api.lookups import get_session, get_tree, named_agent
from sessions_app.api.pagination import Number, decode_cursor, encode_cursor
from sessions_app.api.raw import json_response
from sessions_app.errors import Invalid
from sessions_app.models.fields import to_millis
from sessions_app.search import Scope
from sessions_app.search.snippets import marked_html
from sessions_app.services.forest.finding import get_place
from sessions_app.services.searching import Hit, find_messages
from sessions_app.times import isoformat

router = Router(tags=["search"])


class HitOut(Schema):
    session: str
    agent: str
    message: str
    role: str
    kind: str
    snippet: str = Field(description="HTML: escaped, the matches in <mark>")
    content: str
    score: float = Field(description="Better when larger, within one search")
    created_at: Moment


class ScanOut(Schema):
    """Terms without an index were looked for in the newest texts, one by one."""

    texts: int
    complete: bool


class HitList(Schema):
    items: list[HitOut]
    next: str | None
    scan: ScanOut | None


class SearchFilters(Filters):
    q: str = Field(
        description='words (all of them), "phrases", OR, -word, prefix*, *part*'
    )
    limit: int = Field(20, ge=1, le=100)
    role: str | None = None
    since: When | None = None
    until: When | None = None
    agent: str | None = None
    scope: Literal["path", "session", "agent", "all"] | None = None
    cursor: str | None = None


class SessionSearchFilters(SearchFilters):
    leaf: str | None = Field(None, description="For the scope path; left out: the head")


@router.get("/search", response=HitList, summary="Search everywhere")
def search(request: ApiRequest, filters: Query[SearchFilters]) -> HttpResponse:
    """Search all sessions of the agent; with a key for all agents, of all of them."""
    if filters.scope in ("path", "session"):
        raise Invalid(
            "scope: path and session need a session: use /sessions/{id}/search",
            field="scope",
        )
    named = filters.agent is not None or request.auth.agent_id is not None
    agent = named_agent(request, filters.agent) if named else None
    if filters.scope == "agent" and agent is None:
        agent = named_agent(request, None)
    scope = Scope(agent=agent.id if agent else None, **_narrowed(filters))
    return _answer(filters, scope)


@router.get("/sessions/{id}/search", response=HitList, summary="Search a session")
def search_session(
    request: ApiRequest,
    id: str,
    filters: Query[SessionSearchFilters],
) -> HttpResponse:
    """
    Search a session with all its branches and what it inherited (`scope=session`), just
    the path to a leaf (`path`), or all sessions of its agent (`agent`).
    """
    narrowed = _narrowed(filters)
    if filters.scope == "path":
        session = get_session(request, id)
        leaf = get_place(session, filters.leaf).id if filters.leaf else session.head_id
        scope = Scope(path=leaf if leaf is not None else 0, **narrowed)
    elif filters.scope == "agent":
        scope = Scope(agent=get_session(request, id).agent_id, **narrowed)
    else:
        tree = get_tree(request, id)
        if filters.scope == "all":
            scope = Scope(agent=request.auth.agent_id, **narrowed)
        else:
            scope = Scope(session=tree.id, path=tree.fork_point_id, **narrowed)
    return _answer(filters, scope)


def _narrowed(filters: SearchFilters) -> dict[str, Any]:
    return {
        "role": filters.role,
        "since": filters.since and to_millis(filters.since),
        "until": filters.until and to_millis(filters.until),
    }


def _answer(filters: SearchFilters, scope: Scope) -> HttpResponse:
    offset = decode_cursor(filters.cursor, Number) if filters.cursor else 0
    found = find_messages(
        text=filters.q, scope=scope, limit=filters.limit, offset=offset
    )
    scan = {"texts": found.scanned, "complete": found.complete}
    answer = {
        "items": list(map(_members, found.hits)),
        "next": encode_cursor(offset + filters.limit) if found.more else None,
        "scan": scan if found.scanned else None,
    }
    return json_response(orjson.dumps(answer))


def _members(hit: Hit) -> dict[str, Any]:
    return {
        **asdict(hit),
        "snippet": marked_html(hit.snippet),
        "created_at": isoformat(hit.created_at),
    }
