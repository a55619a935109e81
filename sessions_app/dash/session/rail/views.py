"""Pieces of the rail that are asked for: what is above it, and what hangs off a stretch."""

from __future__ import annotations

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.session.head import find_session
from sessions_app.dash.session.rail import rail_of
from sessions_app.dash.session.rail.hanging import hanging_rows


@require_safe
@page(Role.VIEWER, nav="sessions")
def rail_piece(request: PageRequest, pk: int) -> HttpResponse:
    """
    Answer with rows of the rail.

    ``?from=&to=`` asks for the branches that leave a stretch, ``?rail=`` for the rows
    above a place on the path.
    """
    session = find_session(pk)
    asked = request.GET
    leaf = asked.get("leaf") or (session.head.uid if session.head else None)
    if asked.get("from"):
        rows = hanging_rows(
            session,
            leaf,
            asked.get("show"),
            first=asked["from"],
            last=asked.get("to", ""),
            level=asked.get("level"),
            under=asked.get("under"),
        )
        return show(request, "session/_rail_rows.html", {"rows": rows})
    rail = rail_of(session, leaf, asked.get("show"), before=asked.get("rail", "0"))
    context = {"rail": rail, "rows": rail.rows, "older_link": rail.older_link}
    return show(request, "session/_rail_above.html", context)
