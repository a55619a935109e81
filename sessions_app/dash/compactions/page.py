"""The Compactions tab: what summaries stand for what, and how to make one."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.errors import NotFound
from sessions_app.models import Session
from sessions_app.services.compaction.layers import (
    Layer,
    read_layers,
    read_originals,
)
from sessions_app.services.compaction.overlays import digest
from sessions_app.services.compaction.plans import plan_compaction
from sessions_app.services.compaction.state import compaction_state
from sessions_app.services.compaction.summarizers import (
    SUMMARIZERS,
    UnknownSummarizer,
    choose,
)
from sessions_app.services.forest.finding import get_found

# Originals on a page.
ORIGINALS = 25
# Tokens of a path that is planned without being asked: the plan reads all of it.
PLANNED = 400_000


@page(Role.VIEWER, nav="sessions")
def session_compactions(request: PageRequest, pk: int) -> HttpResponse:
    """Show the list; ``?open=`` and ``?edit=`` name the one that is looked into."""
    return compactions_page(request, find_session(pk))


def compactions_page(
    request: PageRequest,
    session: Session,
    *,
    status: int = 200,
    **kept: Any,
) -> HttpResponse:
    """Answer with the page; ``kept`` is what was typed into a form, and why it failed."""
    head = head_of(request, session, "compactions")
    base = reverse("session-compactions", args=[session.pk])
    leaf_part = "" if head["is_head"] else f"{urlencode({'leaf': head['leaf']})}&"
    layers = read_layers(session, branched=head["branch_count"] > 1)
    shown: dict[str, Any] = {
        **head,
        "layers": layers,
        "base": base,
        "leaf_part": leaf_part,
        "here": base + head["leaf_query"],
        "state": (state := compaction_state(session)),
        "known": known(session, state.going),
        "default_summarizer": choose_or_none(),
        "summarizers": [name for name in SUMMARIZERS if choose_or_none(name)],
        **kept,
    }
    opened = kept.get("edit") or request.GET.get("edit") or request.GET.get("open")
    if opened:
        shown |= _opened(request, layers, opened, is_edited="edit" in request.GET)
        shown |= {"here": f"{base}?{leaf_part}open={opened}", **kept}
    if head["leaf"]:
        is_asked = "plan" in request.GET or bool(kept)
        if is_asked or head["context_tokens"] <= PLANNED:
            shown["plan"] = plan_compaction(session=session, leaf=head["leaf"])
            shown["is_planned"] = True
            if shown["plan"]:
                shown["plan_numbers"] = _numbers(session, shown["plan"])
    return show(
        request,
        "compactions/compactions.html",
        shown,
        piece=_piece(request, opened),
        status=status,
    )


@page(Role.VIEWER, nav="sessions")
def compaction_status(request: PageRequest, pk: int) -> HttpResponse:
    """Answer how the job goes; nothing (204) as long as it goes as the page knows."""
    session = find_session(pk)
    state = compaction_state(session)
    if request.htmx and request.GET.get("known") == known(session, state.going):
        return HttpResponse(status=204)
    shown = {
        "session": session,
        "state": state,
        "known": known(session, state.going),
        "compaction_count": session.compactions.count(),
        "was": request.GET.get("known", "").partition("-")[2],
    }
    return show(request, "compactions/_state.html", shown)


def known(session: Session, going: str) -> str:
    """Return what changes when there is something new to be seen."""
    failed = session.compaction_failed_at
    return (
        f"{going}{failed.timestamp() if failed else ''}-{session.compactions.count()}"
    )


def choose_or_none(name: str | None = None) -> str | None:
    """Return a summarizer's name, if it is set up."""
    try:
        return choose(name)
    except UnknownSummarizer:
        return None


def find_layer(layers: list[Layer], uid: str) -> Layer:
    """
    :raises NotFound: if none is that compaction
    """
    for each in layers:
        for layer in (each, *each.inside):
            if layer.compaction.uid == uid:
                return layer
    raise NotFound(f"No compaction {uid!r} in this session")


def _opened(
    request: PageRequest, layers: list[Layer], uid: str, *, is_edited: bool
) -> dict[str, Any]:
    layer = find_layer(layers, uid)
    # What is inside a nested one is inside the one around it, too.
    for each in layers:
        if layer in each.inside:
            layer.inside = [
                inner
                for inner in each.inside
                if inner is not layer
                and inner.first >= layer.first
                and inner.last <= layer.last
                and inner.compaction.id < layer.compaction.id
            ]
    start = request.GET.get("from", "")
    is_number = start.isascii() and start.isdigit() and len(start) < 10
    found, following = read_originals(
        layer,
        start=int(start) if is_number else 0,
        limit=ORIGINALS,
        peel="peel" in request.GET,
    )
    return {
        "opened": uid,
        "edited": uid if is_edited else "",
        "layer": layer,
        "originals": found,
        "following": following,
        "digest": digest(layer.compaction.summary),
        "text": layer.compaction.summary,
        "text_tokens": layer.compaction.tokens_after,
    }


def _numbers(session: Session, plan: Any) -> tuple[int, int]:
    """Return the numbers of a plan's first and last message."""
    places = [get_found(session, uid).depth + 1 for uid in (plan.first, plan.last)]
    return places[0], places[1]


def _piece(request: PageRequest, opened: str | None) -> str | None:
    """Return what HTMX asks for: one compaction's originals, or the list."""
    if request.htmx.target == "originals" and opened:
        return "compactions/_originals.html"
    return None
