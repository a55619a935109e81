"""Forking at a message: what the fork takes along, with counts, before it is made."""

from __future__ import annotations

from typing import Any, cast, get_args

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast
from sessions_app.dash.reading import text_in, uid_in
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.errors import Invalid
from sessions_app.models import Session
from sessions_app.services.browsing.previews import preview_fork
from sessions_app.services.forest.fork_copies import Include
from sessions_app.services.forest.forks import fork_session


@require_http_methods(["GET", "HEAD", "POST"])
@page(Role.OPERATOR, nav="sessions", act=Role.OPERATOR)
def fork(request: PageRequest, pk: int) -> HttpResponse:
    """Ask how to fork a session at ``?at=``, by default at the end of ``?leaf=``; do it."""
    session = find_session(pk)
    if request.method == "POST":
        made = _fork(request, session)
        toast(request, f"Forked: {made.message_count:,} messages")
        return go(request, reverse("session", args=[made.pk]))
    given = request.GET
    head = session.head.uid if session.head else ""
    at = uid_in(given, "at") or uid_in(given, "leaf") or head
    context: dict[str, Any] = {"session": session, "at": at, "sizes": None}
    if at:
        context["sizes"] = preview_fork(session=session, at=at)
    if not request.htmx:
        context |= head_of(request, session, "fork")
    return show(request, "session/fork.html", context, piece="session/_fork.html")


def _fork(request: PageRequest, session: Session) -> Session:
    given = request.POST
    include = given.get("include", "path")
    if include not in get_args(Include):
        raise Invalid("A fork includes the path, the branches or the tree")
    return fork_session(
        session=session,
        at=uid_in(given, "at") or None,
        name=text_in(given, "name"),
        include=cast(Include, include),
        blocks="blocks" in given,
        compactions="compactions" in given,
    )
