"""The search page."""

from __future__ import annotations

import time
from typing import Any

from django.http import HttpResponse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.searching.query import (
    NARROWED_BY,
    PLACES,
    WINDOWS,
    SearchQuery,
    read_search,
)
from sessions_app.search.query import InvalidQuery, parse_query
from sessions_app.services.searching.elsewhere import find_elsewhere
from sessions_app.services.searching.pages import BEST, Group, Results, find_grouped
from sessions_app.services.searching.texts import show_hits

# How many lineages a page shows, how many hits of each, and how many of one alone.
GROUPS = 10
OF_GROUP = 3
ALONE = 30
ROLES = ("user", "assistant", "tool", "system")


@page(Role.VIEWER, nav="search")
def search(request: PageRequest) -> HttpResponse:
    """Show what was found; without a query, how to ask."""
    asked = read_search(request.GET)
    context = {
        "asked": asked,
        "narrowed": [name for name in NARROWED_BY if request.GET.get(name)],
        "windows": {key: name for key, (name, _) in WINDOWS.items()},
        "places": PLACES,
        "best": BEST,
    }
    status = 200
    try:
        context |= _found(asked)
    except InvalidQuery as refused:
        context["refused"] = refused.message
        status = 422
    return show(
        request,
        "search/search.html",
        context,
        piece="search/_results.html",
        status=status,
    )


def _found(asked: SearchQuery) -> dict[str, Any]:
    started = time.perf_counter()
    query = parse_query(asked.q)
    if not query:
        return {"is_blank": True, "roles": dict.fromkeys(ROLES), "agents": {}}
    results = (
        find_grouped(query, asked.scope) if asked.wants_messages else Results([], {})
    )
    entries = (
        find_elsewhere(query, agent=asked.agent, session=asked.session)
        if asked.wants_blocks
        else []
    )
    groups, following = _page_of(results, asked)
    shown = show_hits(query, [hit for group in groups for hit in group.hits])
    alone = bool(asked.group or asked.session)
    whole = {group.root: len(group.hits) for group in results.groups}
    return {
        "results": results,
        "entries": entries if not asked.start else [],
        "entry_count": len(entries),
        "groups": [
            {
                "root": results.sessions[group.root],
                "hits": [
                    {
                        "shown": shown[hit.id],
                        "session": results.sessions[hit.session_id],
                    }
                    for hit in group.hits
                    if hit.id in shown
                ],
                "count": whole[group.root],
                "left": 0 if alone else whole[group.root] - len(group.hits),
            }
            for group in groups
        ],
        "next": following,
        "roles": dict.fromkeys(ROLES) | results.roles
        if not asked.role
        else dict.fromkeys([*ROLES, asked.role]),
        "agents": results.agents,
        "millis": round((time.perf_counter() - started) * 1000),
    }


def _page_of(results: Results, asked: SearchQuery) -> tuple[list[Group], int | None]:
    """Return what is shown of the hits, and where the next page starts, if there is one."""
    groups = results.groups
    if asked.group:
        groups = [group for group in groups if group.root == asked.group]
    if not (asked.group or asked.session):
        end = asked.start + GROUPS
        page = groups[asked.start : end]
        shown = [Group(group.root, group.hits[:OF_GROUP]) for group in page]
        return shown, end if len(groups) > end else None
    end = asked.start + ALONE
    shown, passed = [], 0
    for group in groups:
        hits = group.hits[max(asked.start - passed, 0) : max(end - passed, 0)]
        passed += len(group.hits)
        if hits:
            shown.append(Group(group.root, hits))
    return shown, end if passed > end else None
