"""Renaming and archiving a session."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, toast
from sessions_app.dash.back import back_to
from sessions_app.dash.session.head import find_session
from sessions_app.errors import Invalid
from sessions_app.messages import CONTROL
from sessions_app.services.registry.sessions import update_session

LONGEST = 500


class BadName(Invalid):
    """It cannot be the name of a session."""


@require_POST
@page(Role.OPERATOR, nav="sessions")
def rename(request: PageRequest, pk: int) -> HttpResponse:
    session = find_session(pk)
    before = session.name
    name = _given(request, "name").strip()
    if len(name) > LONGEST or CONTROL.search(name):
        raise BadName(f"A name has no line breaks, and at most {LONGEST} characters")
    if name != before:
        update_session(session=session, name=name)
        undo = f"{reverse('session-rename', args=[pk])}?{urlencode({'name': before})}"
        toast(request, f"Renamed to “{name}”" if name else "Name removed", undo=undo)
    return go(request, back_to(request, reverse("session", args=[pk])))


@require_POST
@page(Role.OPERATOR, nav="sessions")
def archive(request: PageRequest, pk: int) -> HttpResponse:
    session = find_session(pk)
    archived = _given(request, "archived") == "yes"
    update_session(session=session, archived=archived)
    other = urlencode({"archived": "no" if archived else "yes"})
    toast(
        request,
        "1 session archived" if archived else "1 session brought back",
        undo=f"{reverse('session-archive', args=[pk])}?{other}",
    )
    return go(request, back_to(request, reverse("session", args=[pk])))


def _given(request: PageRequest, field: str) -> str:
    """Return a field; the undo of a toast has it in the address."""
    return request.POST.get(field, request.GET.get(field, ""))
