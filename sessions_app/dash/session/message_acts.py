"""What an operator does with one message: look at it whole, label it, set the head."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast
from sessions_app.dash.reading import uid_in
from sessions_app.dash.rendering.json import json_html
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.dash.session.page import asked_of, body_of, place_of
from sessions_app.errors import NotFound
from sessions_app.messages import check_name
from sessions_app.models import Session
from sessions_app.services.forest.finding import Found, get_found
from sessions_app.services.forest.trees import labels
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.writing.editing import set_label

LONGEST_LABEL = 200
# Of longer JSON this much is shown; the API gives all of it.
MOST_JSON = 200_000


@require_safe
@page(Role.VIEWER, nav="sessions")
def message(request: PageRequest, pk: int) -> HttpResponse:
    """Show a message as it is stored, and what can be done with it."""
    session = find_session(pk)
    found = named(request, session)
    context = context_of(request, session, found)
    context["json"] = json_html(body_of(session, found.uid), MOST_JSON)
    return show(request, "session/message.html", context, piece="session/_message.html")


@require_http_methods(["GET", "HEAD", "POST"])
@page(Role.OPERATOR, nav="sessions", act=Role.OPERATOR)
def label(request: PageRequest, pk: int) -> HttpResponse:
    """Ask for a message's name, and give it; an empty one takes it away."""
    session = find_session(pk)
    found = named(request, session)
    known = labels(session, [found.id]).get(found.id, "")
    if request.method != "POST":
        context = context_of(request, session, found) | {"label": known}
        return show(request, "session/label.html", context, piece="session/_label.html")
    text = request.POST.get("text", request.GET.get("text", "")).strip()
    if text:
        check_name(text, "label", LONGEST_LABEL)
    set_label(session=session, uid=found.uid, text=text or None)
    place = reverse("session-label", args=[session.pk])
    undo = f"{place}?{urlencode({'msg': found.uid, 'text': known})}"
    toast(request, f"Labelled “{text}”" if text else "Label removed", undo=undo)
    return go(request, address_of(session, found))


@require_POST
@page(Role.OPERATOR)
def set_head(request: PageRequest, pk: int) -> HttpResponse:
    session = find_session(pk)
    found = named(request, session)
    before = session.head.uid if session.head else None
    check_out(session=session, uid=found.uid)
    place = reverse("session-head", args=[session.pk])
    undo = f"{place}?{urlencode({'msg': before})}" if before else None
    toast(request, f"The head is #{found.depth + 1} now", undo=undo)
    return go(request, reverse("session", args=[session.pk]))


def named(request: PageRequest, session: Session) -> Found:
    """
    Return the message that ``msg`` names; an undo has it in the address.

    :raises NotFound: if the session sees no such message
    """
    uid = uid_in(request.POST, "msg") or uid_in(request.GET, "msg")
    if not uid:
        raise NotFound("No message was named")
    return get_found(session, uid)


def context_of(request: PageRequest, session: Session, found: Found) -> dict[str, Any]:
    """Return what pages about one message show; pieces of them do without the head."""
    asked = asked_of(request, session)
    leaf = asked.leaf if asked else None
    context = place_of(session, leaf) | {
        "session": session,
        "uid": found.uid,
        "number": found.depth + 1,
        "is_head": found.id == session.head_id,
    }
    if not request.htmx:
        context |= head_of(request, session, "message", leaf=leaf)
    return context


def address_of(session: Session, found: Found) -> str:
    place = reverse("session", args=[session.pk])
    return f"{place}?{urlencode({'msg': found.uid})}#m{found.depth + 1}"
