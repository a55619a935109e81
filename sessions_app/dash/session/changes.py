"""Undoing what was done to a session's messages."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, toast
from sessions_app.dash.session.head import find_session
from sessions_app.models import MessageChange, Session
from sessions_app.services.undoing.changes import last_change, undo_change


@require_POST
@page(Role.OPERATOR, nav="sessions")
def undo_message_change(request: PageRequest, pk: int, change: int) -> HttpResponse:
    """Put back the text or the messages that a change took."""
    session = find_session(pk)
    done = undo_change(session=session, change=change, by=operator(request))
    if done.action == MessageChange.Action.EDIT:
        said = f"Message {done.first[0]} is as it was before"
        toast(request, said, undo=undo_url(request, session))
    else:
        noun = "message is" if done.count == 1 else "messages are"
        toast(request, f"{done.count:,} {noun} back")
    return go(request, reverse("session", args=[session.pk]))


def operator(request: PageRequest) -> str:
    """Return who a change is by, when a person makes it."""
    return f"operator {request.user.get_username()}"


def undo_url(request: PageRequest, session: Session) -> str | None:
    """Return where a POST undoes what this person has just done to the messages."""
    change = last_change(session=session, by=operator(request))
    if change is None:
        return None
    return reverse("session-undo-change", args=[session.pk, change.pk])
