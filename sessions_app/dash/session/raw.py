"""The tab with everything as it is stored, in JSON."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.views.decorators.http import require_safe

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.rendering.json import json_html
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.messages import print_json
from sessions_app.models import Session
from sessions_app.services.browsing.raw_paths import RawMessage, path_lines, read_raw
from sessions_app.times import isoformat

SIZE = 20
# Characters of a message on a page of many, and of one that is looked at alone.
SHOWN = 3_000
SHOWN_ALONE = 200_000
# Of a session's row: what is kept beside it, or is a key of a row.
LEFT_OUT = ("id", "agent_id", "parent_session_id", "fork_point_id", "head_id")


@require_safe
@page(Role.VIEWER, nav="sessions")
def raw(request: PageRequest, pk: int) -> HttpResponse | StreamingHttpResponse:
    """
    Show the messages of a path as stored; ``?msg=`` is one alone, ``?start=`` a page.

    ``?download=1`` is the whole path as JSON lines.
    """
    session = find_session(pk)
    asked = request.GET
    leaf = asked.get("leaf") or None
    if asked.get("download"):
        return _download(session, leaf)
    message = asked.get("msg") or None
    start = message or asked.get("start") or None
    context = head_of(request, session, "raw")
    found = read_raw(
        session=session,
        leaf=message or leaf,
        start=start,
        limit=1 if message else SIZE,
    )
    most = SHOWN_ALONE if message else SHOWN
    context |= {
        "messages_shown": [_shown(each, most) for each in found.messages],
        "older": None if message else found.older,
        "alone": message,
        "is_later": bool(start),
    }
    if not start:
        row = print_json(_row(session)).decode()
        context["row"] = {"text": row, "json": json_html(row, SHOWN_ALONE)}
    return show(request, "session/raw.html", context, piece="session/_raw.html")


def _shown(message: RawMessage, most: int) -> dict[str, Any]:
    view = json_html(message.body, most)
    # What is copied is not sent twice where it is long.
    is_short = len(message.body) <= SHOWN
    return {
        "message": message,
        "json": view,
        "body": message.body if is_short else "",
    }


def _row(session: Session) -> dict[str, Any]:
    """Return a session's row, with names in the place of keys."""
    row = {
        "key": session.key,
        "agent": session.agent.name,
        "parent_session": session.parent_session and session.parent_session.key,
        "head": session.head and session.head.uid,
        "fork_point": session.fork_point and session.fork_point.uid,
    }
    for field in session._meta.concrete_fields:
        if field.attname in LEFT_OUT or field.attname in row:
            continue
        value = getattr(session, field.attname)
        row[field.attname] = isoformat(value) if hasattr(value, "tzinfo") else value
    return row


def _download(session: Session, leaf: str | None) -> StreamingHttpResponse:
    lines = path_lines(session=session, leaf=leaf)
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    name = f"session-{session.pk}-path.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
