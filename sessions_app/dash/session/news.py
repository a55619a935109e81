"""What is new in a transcript that somebody looks at: asked for every two seconds."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.reading import uid_in
from sessions_app.dash.session.head import figures_of, find_session
from sessions_app.dash.session.page import live_of, place_of
from sessions_app.dash.session.path import read_from
from sessions_app.dash.session.transcript.items import Asked, Transcript
from sessions_app.models import Session
from sessions_app.services.browsing.windows import newest_leaf_below
from sessions_app.services.forest.finding import find, is_on_path


@require_safe
@page(Role.VIEWER, nav="sessions")
def news(request: PageRequest, pk: int) -> HttpResponse:
    """
    Answer 204 if nothing was added to a session, and its head is where it was.

    Else answer with the rows from ``?tail=`` on, of which the first replaces the one on
    the page: a result may have come to its call. If the session went on elsewhere,
    only that is said.
    """
    standing = Session.objects.filter(pk=pk).values_list("next_seq", "head_id").first()
    if standing is None:
        raise Http404("The session is gone.")
    seen = (_number(request, "after"), _number(request, "head"))
    if (standing[0], standing[1] or 0) == seen:
        return HttpResponse(status=204)
    session = find_session(pk)
    context = {"session": session, **_news(request, session)}
    return show(request, "session/_news.html", context)


def _news(request: PageRequest, session: Session) -> dict[str, Any]:
    given = request.GET
    leaf, tail = (
        find(session, uid_in(given, "leaf")),
        find(session, uid_in(given, "tail")),
    )
    if leaf is None or tail is None:
        return {"is_elsewhere": True}
    followed_head = _number(request, "head") == leaf.id
    end = newest_leaf_below(session, leaf)
    moved = session.head_id != _number(request, "head")
    goes_on = session.head is not None and is_on_path(leaf.id, session.head.id)
    if followed_head and session.head and goes_on:
        end = session.head.uid
    found: Transcript = read_from(session, Asked(leaf=end), tail.depth)
    shown = found.rows
    return {
        "tail": shown[0] if shown else None,
        "rows": shown[1:],
        "count": found.path.leaf.depth - leaf.depth,
        "is_elsewhere": followed_head and moved and not goes_on,
        "live": live_of(session, found),
        **place_of(session, end),
        **figures_of(session, end),
    }


def _number(request: PageRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 19 else -1
