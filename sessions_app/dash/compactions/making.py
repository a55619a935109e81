"""Making a compaction: by the server's plan, or with a summary of one's own."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, status_of, toast
from sessions_app.dash.back import back_to
from sessions_app.dash.compactions.forms import (
    operator_of,
    posted_text,
    tab_of,
)
from sessions_app.dash.compactions.page import compactions_page
from sessions_app.dash.rendering.formatting import short_count
from sessions_app.dash.session.head import find_session
from sessions_app.errors import Conflict, Invalid
from sessions_app.messages import summary_tokens
from sessions_app.models import Compaction, Session
from sessions_app.services.compaction.automatic import queue
from sessions_app.services.compaction.layers import at_number
from sessions_app.services.compaction.overlays import BadRange, add_compaction
from sessions_app.services.compaction.summarizers import choose
from sessions_app.services.forest.finding import get_place

acts = page(Role.OPERATOR, nav="sessions")


@acts
def compaction_make(request: PageRequest, pk: int) -> HttpResponse:
    """Have the server's summarizer make one (a job), or lay a summary of one's own."""
    session = find_session(pk)
    if request.method != "POST":
        return go(request, f"{tab_of(session)}#make")
    own = request.POST.get("how") == "own"
    try:
        if not own:
            return _queue(request, session)
        compaction = _lay(request, session)
    except (Invalid, Conflict) as error:
        kept = {
            name: request.POST.get(name, "").replace("\0", "\ufffd")
            for name in ("first", "last", "summary", "planned_at")
        }
        return compactions_page(
            request,
            session,
            status=status_of(error),
            make_error=error,
            made=kept,
            made_tokens=summary_tokens(kept["summary"]),
        )
    before, after = map(
        short_count, (compaction.tokens_before, compaction.tokens_after)
    )
    undo = reverse("compaction-disable", args=[pk, compaction.uid])
    toast(request, f"Compacted: {before} → {after} tokens", undo=undo)
    return go(request, back_to(request, tab_of(session)))


@require_POST
@acts
def compaction_count(request: PageRequest, pk: int) -> HttpResponse:
    """Answer how many tokens a summary takes, while it is written."""
    counted = {"counted": summary_tokens(posted_text(request, "summary"))}
    return render(request, "compactions/_count.html", counted)


def _queue(request: PageRequest, session: Session) -> HttpResponse:
    name = choose(request.POST.get("summarizer") or None)
    queue(
        session.id,
        summarizer=name,
        created_by=operator_of(request),
        only_if_due=False,
    )
    return go(request, back_to(request, tab_of(session)))


def _lay(request: PageRequest, session: Session) -> Compaction:
    summary = posted_text(request, "summary")
    leaf = request.GET.get("leaf") or (session.head.uid if session.head else "")
    return add_compaction(
        session=session,
        summary=summary,
        first=_message(session, leaf, posted_text(request, "first").strip()),
        last=_message(session, leaf, posted_text(request, "last").strip()),
        planned_at=posted_text(request, "planned_at") or None,
        method="operator",
        created_by=operator_of(request),
    )


def _message(session: Session, leaf: str, said: str) -> str:
    """
    Return the id of a message that is named by its number, as #4, or by its id.

    :raises BadRange: if the path has no such number
    """
    number = said.removeprefix("#").replace(",", "")
    if not said.startswith("#") or not (number.isascii() and number.isdigit()):
        return said
    found = None
    if leaf and len(number) < 10 and int(number):
        found = at_number(get_place(session, leaf).id, int(number))
    if found is None:
        raise BadRange(f"There is no message {said} on this path")
    return found
