"""What an operator does to compactions: disable, enable, edit, delete."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, status_of, toast, warn
from sessions_app.dash.back import back_to
from sessions_app.dash.compactions.forms import posted_text, tab_of
from sessions_app.dash.compactions.page import compactions_page
from sessions_app.dash.rendering.formatting import short_count
from sessions_app.dash.session.head import find_session
from sessions_app.errors import Conflict, Invalid
from sessions_app.messages import summary_tokens
from sessions_app.models import Compaction
from sessions_app.services.compaction.outcomes import context_tokens
from sessions_app.services.compaction.overlays import (
    delete_compaction,
    get_compaction,
    update_compaction,
)

acts = page(Role.OPERATOR, nav="sessions")


@require_POST
@acts
def compaction_disable(request: PageRequest, pk: int, uid: str) -> HttpResponse:
    return _switch(request, pk, uid, Compaction.State.DISABLED, "compaction-enable")


@require_POST
@acts
def compaction_enable(request: PageRequest, pk: int, uid: str) -> HttpResponse:
    return _switch(request, pk, uid, Compaction.State.ACTIVE, "compaction-disable")


@acts
def compaction_edit(request: PageRequest, pk: int, uid: str) -> HttpResponse:
    """Rewrite a summary; where somebody else has, both texts are shown."""
    session = find_session(pk)
    if request.method != "POST":
        return go(request, f"{tab_of(session)}?edit={uid}")
    text = request.POST.get("summary", "").replace("\0", "\ufffd")
    try:
        text = posted_text(request, "summary")
        compaction = update_compaction(
            session=session,
            uid=uid,
            summary=text,
            expected=request.POST.get("digest") or None,
        )
    except (Invalid, Conflict) as error:
        theirs = get_compaction(session, uid).summary
        return compactions_page(
            request,
            session,
            status=status_of(error),
            edit=uid,
            edited=uid,
            edit_error=error,
            theirs=theirs if isinstance(error, Conflict) else None,
            text=text,
            text_tokens=summary_tokens(text),
        )
    tokens = short_count(compaction.tokens_after)
    toast(request, f"The summary is saved: {tokens} tokens")
    return go(request, back_to(request, tab_of(session)))


@require_POST
@acts
def compaction_delete(request: PageRequest, pk: int, uid: str) -> HttpResponse:
    session = find_session(pk)
    delete_compaction(session=session, uid=uid)
    toast(request, "The compaction is deleted; the model sees its originals again")
    place = back_to(request, tab_of(session))
    # What is deleted cannot be open.
    return go(request, tab_of(session) if uid in place else place)


def _switch(
    request: PageRequest, pk: int, uid: str, state: str, undo: str
) -> HttpResponse:
    session = find_session(pk)
    before = context_tokens(session)
    try:
        update_compaction(session=session, uid=uid, state=state)
    except Conflict as error:
        warn(request, error)
        return go(request, back_to(request, tab_of(session)))
    after = context_tokens(session)
    done = "Disabled" if state == Compaction.State.DISABLED else "Enabled"
    saying = (
        f"{done}; the context of the main path stays {short_count(after)} tokens"
        if before == after
        else f"{done}: the context goes from {short_count(before)} to "
        f"{short_count(after)} tokens"
    )
    toast(request, saying, undo=reverse(undo, args=[pk, uid]))
    return go(request, back_to(request, tab_of(session)))
