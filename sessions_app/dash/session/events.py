"""The tab that says what happened to a session, newest first."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.reading import choice_in
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.models import Session
from sessions_app.services.browsing.spots import all_labels, read_spots
from sessions_app.services.timeline import KINDS, read_timeline
from sessions_app.services.timeline.events import Event

# Names that stand over the list; a session with more has them in its tree.
LABELS = 20


@require_safe
@page(Role.VIEWER, nav="sessions")
def events(request: PageRequest, pk: int) -> HttpResponse:
    """Show a page of events, of one kind if ``?kind=`` says so."""
    session = find_session(pk)
    kind = choice_in(request.GET, "kind", KINDS)
    before = request.GET.get("before")
    found = read_timeline(session=session, before=before, kind=kind)
    context = head_of(request, session, "events")
    context |= {
        "events": [
            {"event": event, "url": _url(session, event)} for event in found.events
        ],
        "older": found.older and urlencode({"kind": kind, "before": found.older}),
        "kind": kind,
        "kinds": KINDS,
        "is_later": bool(before),
        "named": [] if before else _named(session),
    }
    return show(request, "session/events.html", context, piece="session/_events.html")


def _named(session: Session) -> list[dict[str, Any]]:
    """Return labels, of which no time is kept."""
    names = all_labels(session)
    newest = sorted(names, reverse=True)[:LABELS]
    spots = read_spots(newest)
    return [{"text": names[id_], "spot": spots[id_]} for id_ in newest if id_ in spots]


def _url(session: Session, event: Event) -> str:
    """Return where what an event is about can be seen, or nothing."""
    kind, ref = event.about
    tabs = {
        "usage": "session-usage",
        "compactions": "session-compactions",
        "compaction": "session-compactions",
        "prompt": "session-context",
        "block": "session-blocks",
    }
    if kind in tabs:
        place = reverse(tabs[kind], args=[session.pk])
        return f"{place}?{urlencode({'block': ref})}" if kind == "block" else place
    if kind == "message" and ref:
        place = reverse("session", args=[session.pk])
        return f"{place}?{urlencode({'msg': ref})}"
    if kind == "held":
        return reverse("quarantine")
    if kind == "job":
        return reverse("jobs")
    return reverse("session", args=[int(ref)]) if kind == "session" else ""
