"""Editing and deleting a message: both say first what else is touched."""

from __future__ import annotations

from typing import Any, cast, get_args

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast
from sessions_app.dash.session.changes import operator, undo_url
from sessions_app.dash.session.head import find_session
from sessions_app.dash.session.message_acts import address_of, context_of, named
from sessions_app.dash.session.page import body_of
from sessions_app.errors import Invalid, MemoryHubError
from sessions_app.messages import parse_body, print_json, read_message
from sessions_app.models import Session
from sessions_app.services.browsing.previews import preview_deletion
from sessions_app.services.forest.finding import Found
from sessions_app.services.writing.deleting import DeleteMode, delete_messages
from sessions_app.services.writing.editing import put_message


@require_http_methods(["GET", "HEAD", "POST"])
@page(Role.OPERATOR, nav="sessions", act=Role.OPERATOR)
def edit(request: PageRequest, pk: int) -> HttpResponse:
    """Show a message to be changed: its texts, or with ``?as=json`` all of it."""
    session = find_session(pk)
    found = named(request, session)
    stored = body_of(session, found.uid)
    body = parse_body(stored)
    texts = [
        {"index": index, "text": part["text"]}
        for index, part in enumerate(body["parts"])
        if part["type"] == "text" and isinstance(part.get("text"), str)
    ]
    as_json = request.POST.get("as", request.GET.get("as")) == "json" or not texts
    context: dict[str, Any] = {
        "texts": texts,
        "as_json": as_json,
        "json": stored,
        "preview": preview_deletion(session=session, uid=found.uid),
    }
    status = 200
    if request.method == "POST":
        sent = request.POST.get("json", "")
        try:
            raw = sent.encode() if as_json else _with_texts(request, body)
            return _put(request, session, found, raw)
        except (Invalid, UnicodeEncodeError) as error:
            told = error.message if isinstance(error, MemoryHubError) else str(error)
            status = status_of(error) if isinstance(error, MemoryHubError) else 422
            context |= {"error": told, "json": sent}
    context |= context_of(request, session, found)
    return show(request, "session/edit.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@page(Role.OPERATOR, nav="sessions", act=Role.OPERATOR)
def delete(request: PageRequest, pk: int) -> HttpResponse:
    """Say what goes with a message, and delete it alone or with all below."""
    session = find_session(pk)
    found = named(request, session)
    if request.method == "POST":
        mode = request.POST.get("mode", "")
        if mode not in get_args(DeleteMode):
            raise Invalid("Delete the message alone, or with all below it")
        count = delete_messages(
            session=session,
            uids=[found.uid],
            mode=cast(DeleteMode, mode),
            by=operator(request),
        )
        toast(
            request,
            f"{count:,} message{'' if count == 1 else 's'} deleted",
            undo=undo_url(request, session),
        )
        return go(request, reverse("session", args=[session.pk]))
    context = context_of(request, session, found)
    context["gone"] = preview_deletion(session=session, uid=found.uid)
    return show(request, "session/delete.html", context, piece="session/_delete.html")


def _put(
    request: PageRequest, session: Session, found: Found, raw: bytes
) -> HttpResponse:
    draft = read_message(raw, "message")
    if draft.uid is not None and draft.uid != found.uid:
        raise Invalid("A message keeps its id: another one would be another message")
    if draft.uid is None:
        draft.identify(found.uid)
    is_another = draft.body != body_of(session, found.uid)
    put_message(session=session, draft=draft, by=operator(request))
    undo = undo_url(request, session) if is_another else None
    toast(request, f"Message #{found.depth + 1} saved", undo=undo)
    return go(request, address_of(session, found))


def _with_texts(request: PageRequest, body: dict[str, Any]) -> bytes:
    """Return a message with the texts of a form in the places of its own."""
    for index, part in enumerate(body["parts"]):
        sent = request.POST.get(f"text-{index}")
        if sent is not None and part["type"] == "text":
            # A browser sends lines with a carriage return.
            part["text"] = sent.replace("\r\n", "\n")
    return print_json(body)
