"""The page of a session: its transcript, and the pieces that are asked for later."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.reading import uid_in
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.dash.session.inspector import inspector_of
from sessions_app.dash.session.path import read_more, read_transcript
from sessions_app.dash.session.rail import rail_of
from sessions_app.dash.session.transcript import inputs
from sessions_app.dash.session.transcript.items import Asked, Gap, Transcript
from sessions_app.dash.session.transcript.tools import (
    Where,
    card_of,
    change,
    output_text,
)
from sessions_app.messages import parse_body
from sessions_app.models import Message, Session
from sessions_app.services.browsing.windows import leaf_for
from sessions_app.services.compaction.overlays import get_compaction
from sessions_app.services.forest.finding import get_found
from sessions_app.tokens import is_tool


@require_safe
@page(Role.VIEWER, nav="sessions")
def session(request: PageRequest, pk: int) -> HttpResponse:
    """
    Show the path to ``?leaf=``, by default to the head, from its newest message up.

    ``?msg=`` is the message to look at, ``?before=`` and ``?after=`` what to read on
    from, ``?open=`` a compaction to look beneath.
    """
    found = find_session(pk)
    asked = asked_of(request, found)
    message = asked.message if asked else None
    if request.htmx and request.htmx.target == "inspector-body" and asked:
        inspector = inspector_of(found, asked.leaf, message)
        context = {"session": found, "leaf": asked.leaf, "inspector": inspector}
        return show(request, "session/_inspector.html", context)
    leaf = asked.leaf if asked else None
    transcript = read_transcript(found, asked) if asked else None
    context = head_of(request, found, "transcript", leaf=leaf)
    context |= place_of(found, leaf) | {
        "transcript": transcript,
        "live": live_of(found, transcript) if transcript else "",
        "rail": rail_of(
            found,
            leaf,
            request.GET.get("show"),
            selected=message,
            before=request.GET.get("rail"),
            opened=request.GET.get("fork"),
        ),
        "inspector": inspector_of(found, leaf, message),
        "selected": message,
        "is_moved": bool(request.GET.get("before") or request.GET.get("after")),
    }
    return show(request, "session/transcript.html", context)


@require_safe
@page(Role.VIEWER, nav="sessions")
def rows(request: PageRequest, pk: int) -> HttpResponse:
    """Answer with the messages before or after one, as a piece."""
    found = find_session(pk)
    asked = asked_of(request, found)
    if asked is None or not (asked.before or asked.after):
        raise Http404("Nothing was asked for.")
    context = {"session": found, "items": read_more(found, asked)}
    return show(request, "session/_items.html", context | place_of(found, asked.leaf))


@require_safe
@page(Role.VIEWER, nav="sessions")
def part(request: PageRequest, pk: int) -> HttpResponse:
    """
    Answer with all of one part of a message, of which the page has the beginning.

    ``?compaction=`` asks for a summary instead.
    """
    found = find_session(pk)
    if uid := uid_in(request.GET, "compaction"):
        whole = {"text": get_compaction(found, uid).summary, "is_markdown": True}
        return show(request, "session/_part.html", whole)
    body = parse_body(body_of(found, uid_in(request.GET, "msg")))
    index, side = request.GET.get("part", ""), request.GET.get("side", "")
    parts = body["parts"]
    if not index.isdecimal() or int(index[:6]) >= len(parts):
        raise Http404("There is no such part of this message.")
    one = parts[int(index[:6])]
    context: dict[str, Any] = {"side": side, "text": "", "diff": []}
    if is_tool(one["type"]):
        card = card_of(one, Where("", 0))
        value = one.get("input")
        context["diff"] = change(value, most=5_000) if side == "diff" else []
        context["text"] = (
            output_text(one) if side == "got" else inputs.whole(value) or card.line
        )
    else:
        text = one.get("text") or one.get("reasoning") or ""
        context |= {"text": text, "is_markdown": one["type"] == "text"}
    return show(request, "session/_part.html", context)


def asked_of(request: PageRequest, session: Session) -> Asked | None:
    """
    Return what an address asks for; None: the session is empty.

    A message that is not on the branch named is looked for on the newest branch that
    goes on from it.
    """
    given = request.GET
    message = uid_in(given, "msg") or None
    leaf = uid_in(given, "leaf") or (session.head.uid if session.head else None)
    if leaf is None:
        if message:
            raise Http404("There is no such message in this session (any more).")
        return None
    if message:
        leaf = leaf_for(session, message, leaf)
    return Asked(
        leaf=leaf,
        message=message,
        before=uid_in(given, "before") or None,
        after=uid_in(given, "after") or None,
        opened=given.getlist("open"),
    )


def place_of(session: Session, leaf: str | None) -> dict[str, Any]:
    """Return what links within a path carry along: its leaf, if that is not the head."""
    is_head = session.head is not None and session.head.uid == leaf
    keep = "" if is_head or leaf is None else urlencode({"leaf": leaf}) + "&"
    return {"leaf": leaf, "keep": keep}


def live_of(session: Session, transcript: Transcript) -> str:
    """Return what the page asks for again and again; nothing where it shows no end."""
    if not transcript.items or isinstance(transcript.items[-1], Gap):
        return ""
    shown = transcript.rows
    if not shown:
        return ""
    return urlencode(
        {
            "leaf": transcript.path.leaf.uid,
            "after": session.next_seq,
            "head": session.head_id or 0,
            "tail": shown[-1].uid,
        }
    )


def body_of(session: Session, uid: str) -> str:
    """
    :raises NotFound: if the session sees no such message
    """
    found = get_found(session, uid)
    return Message.objects.values_list("body", flat=True).get(id=found.id)
