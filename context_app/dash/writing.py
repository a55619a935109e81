"""Writing a block: the editor, its live count, the preview, the conflict."""

from __future__ import annotations

from django.http import Http404, HttpResponse

from context_app.authors import operator
from context_app.dash.block_page import NEW, Draft, Filled, show_blocks
from context_app.dash.fields import query_number, text_of, version_of
from context_app.dash.histories import compared, find_version
from context_app.dash.meters import count_of
from context_app.dash.places import Place, agent_named, find_block, place_of
from context_app.dash.writers import who
from context_app.models import Block, HeldWrite
from context_app.rendering import render_prompt
from context_app.services.editing import LooksInjected, edit_block
from context_app.services.finding import agent_id_of
from context_app.services.policies import policy_of
from context_app.services.rules import VersionMismatch
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast
from sessions_app.errors import MemoryHubError
from sessions_app.models import Session
from sessions_app.tokens import text_tokens


@page(Role.OPERATOR, nav="blocks")
def block_save(request: PageRequest, pk: int) -> HttpResponse:
    """
    Write a block as it was typed, if nobody wrote since it was read.

    Whatever is in the way, the answer holds the text.
    """
    try:
        block = find_block(pk)
    except Http404:
        if request.method == "POST" and (lost := _place_of_lost(request)):
            return _gone(request, lost)
        raise
    place = place_of(request, block)
    if request.method != "POST":
        return go(request, place.url(block=block.label))
    text = text_of(request, "content")
    version = block.version
    try:
        version = version_of(request)
        if text == block.content.replace("\r\n", "\n") and version == block.version:
            toast(request, f"{block.label} is as it was: nothing was written")
            return go(request, place.url(block=block.label))
        written = edit_block(
            block=block,
            content=text,
            version=version,
            author=operator(request.user.username),
            sure="sure" in request.POST,
        )
    except VersionMismatch:
        return _conflict(request, place, pk, text, version)
    except LooksInjected as error:
        draft = Draft(text, version, error.message, error.details["findings"])
        return _again(request, place, block, draft, 422)
    except MemoryHubError as error:
        draft = Draft(text, version, error.message)
        return _again(request, place, block, draft, status_of(error))
    if isinstance(written, HeldWrite):
        toast(request, f"{block.label}: held in quarantine until somebody approves it")
    else:
        toast(request, f"{block.label} saved as v{written.version}")
    return go(request, place.url(block=block.label))


@page(Role.VIEWER, nav="blocks")
def block_count(request: PageRequest, pk: int) -> HttpResponse:
    """Count the tokens of a text as the server will, for the editor that holds it."""
    block = find_block(pk)
    given = request.POST.get("content")
    text = block.content if given is None else text_of(request, "content")
    return show(request, "blocks/_count.html", {"count": count_of(text, block)})


@page(Role.VIEWER, nav="blocks")
def block_preview(request: PageRequest, pk: int) -> HttpResponse:
    """Show a block as the prompt has it: as it is, or as it is typed just now."""
    block = find_block(pk)
    place = place_of(request, block)
    typed = "content" in request.POST
    text = text_of(request, "content") if typed else block.content
    version = version_of(request) if typed else block.version
    draft = Draft(text, version, preview=_rendered(block, text))
    if request.htmx:
        return show(request, "blocks/_preview.html", {"draft": draft})
    return show_blocks(request, place, label=block.label, draft=draft)


def _rendered(block: Block, text: str) -> str:
    usage = policy_of(agent_id_of(block)).usage_in_headers
    if not block.is_keyed:
        block.content, block.tokens = text, text_tokens(text)
    return render_prompt([block], usage=usage)


def _conflict(
    request: PageRequest, place: Place, pk: int, text: str, read: int
) -> HttpResponse:
    """Show what somebody else wrote meanwhile, and what changes if it is written over."""
    block = find_block(pk)
    newest = find_version(block, block.version)
    between = compared(
        request, f"v{block.version}, theirs", "yours", block.content, text
    )
    draft = Draft(
        text,
        block.version,
        read=read,
        theirs=between,
        theirs_by=who(newest.author) if newest else "",
    )
    return _again(request, place, block, draft, 409)


def _place_of_lost(request: PageRequest) -> Place | None:
    """Return where a block stood that is no more, as far as its editor still knows."""
    inside = query_number(request, "in")
    if request.POST.get("scope") == "session" and inside is not None:
        session = Session.objects.living().filter(pk=inside).first()
        return Place(session.agent, session) if session else None
    name = text_of(request, "agent")
    return Place(agent_named(name)) if name else None


def _gone(request: PageRequest, place: Place) -> HttpResponse:
    """Offer to make a block anew that somebody deleted while another wrote it."""
    values = {name: text_of(request, name) for name in NEW}
    why = f"{values['label']} was deleted while you edited it"
    return show_blocks(request, place, filled=Filled("new", why, values), status=409)


def _again(
    request: PageRequest, place: Place, block: Block, draft: Draft, status: int
) -> HttpResponse:
    return show_blocks(request, place, label=block.label, draft=draft, status=status)
