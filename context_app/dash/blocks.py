"""Blocks of a session, and those of an agent itself."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import reverse

from context_app.authors import operator
from context_app.dash.block_page import NEW, Filled, show_blocks
from context_app.dash.fields import number_of, query_number, text_of
from context_app.dash.places import (
    Place,
    agent_named,
    find_block,
    place_of,
    usual_agent,
)
from context_app.models import HeldWrite
from context_app.services.blocks import update_block
from context_app.services.creating import create_block
from context_app.services.deleted_blocks import delete_block, restore
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast, warn
from sessions_app.dash.session.head import find_session
from sessions_app.errors import MemoryHubError

SETTINGS = ("description", "max_tokens", "position")


@page(Role.VIEWER, nav="sessions", act=Role.OPERATOR)
def session_blocks(request: PageRequest, pk: int) -> HttpResponse:
    """Show the blocks that a session sees; a POST makes one of its own."""
    session = find_session(pk)
    return _blocks(request, Place(session.agent, session))


@page(Role.VIEWER, nav="blocks", act=Role.OPERATOR)
def agent_blocks(request: PageRequest) -> HttpResponse:
    """Show the blocks of an agent itself; a POST makes one."""
    name = request.GET.get("agent")
    agent = agent_named(name) if name else usual_agent()
    if agent is None:
        return show(request, "blocks/none.html", {})
    return _blocks(request, Place(agent))


def _blocks(request: PageRequest, place: Place) -> HttpResponse:
    return (
        _make(request, place)
        if request.method == "POST"
        else show_blocks(request, place)
    )


def _make(request: PageRequest, place: Place) -> HttpResponse:
    values = {name: text_of(request, name) for name in NEW}
    try:
        made = create_block(
            owner=place.owner,
            label=values["label"].strip(),
            kind=values["kind"],
            description=values["description"],
            max_tokens=number_of(request, "max_tokens", "Most tokens"),
            content=values["content"],
            shared=not place.session and values["scope"] == "shared",
            author=operator(request.user.username),
        )
    except MemoryHubError as error:
        filled = Filled("new", error.message, values)
        return show_blocks(request, place, filled=filled, status=status_of(error))
    block = made.block if isinstance(made, HeldWrite) else made
    toast(request, f"{block.label} was made")
    return go(request, place.url(block=block.label))


@page(Role.OPERATOR, nav="blocks")
def block_settings(request: PageRequest, pk: int) -> HttpResponse:
    """Change what is said of a block, its limit, and where it stands in the prompt."""
    block = find_block(pk)
    place = place_of(request, block)
    if request.method != "POST":
        return go(request, place.url(block=block.label))
    values = {name: text_of(request, name) for name in SETTINGS}
    try:
        changed = values["description"] != block.description
        written = update_block(
            block=block,
            description=values["description"] if changed else None,
            max_tokens=number_of(request, "max_tokens", "Most tokens"),
            position=number_of(request, "position", "Position"),
            author=operator(request.user.username),
        )
    except MemoryHubError as error:
        filled = Filled("settings", error.message, values)
        return show_blocks(
            request, place, label=block.label, filled=filled, status=status_of(error)
        )
    held = isinstance(written, HeldWrite)
    toast(
        request,
        f"{block.label}: held in quarantine" if held else f"{block.label} changed",
    )
    return go(request, place.url(block=block.label))


@page(Role.OPERATOR, nav="blocks")
def block_delete(request: PageRequest, pk: int) -> HttpResponse:
    """Put a block aside, from where the toast has it back."""
    block = find_block(pk)
    place = place_of(request, block)
    if request.method != "POST":
        return go(request, place.url(block=block.label))
    aside = delete_block(block=block, author=operator(request.user.username))
    undo = place.act("block-restore", aside.pk)
    toast(request, f"{block.label} deleted", undo=undo)
    return go(request, place.url())


@page(Role.OPERATOR, nav="blocks")
def block_restore(request: PageRequest, pk: int) -> HttpResponse:
    """Have a deleted block back with its entries and versions."""
    if request.method != "POST":
        return go(request, reverse("blocks"))
    try:
        block = restore(pk=pk)
    except MemoryHubError as error:
        warn(request, error)
        return go(request, _way_back(request))
    toast(request, f"{block.label} is back")
    return go(request, place_of(request, block).url(block=block.label))


def _way_back(request: PageRequest) -> str:
    """Return where a block was deleted, though there is no block to say so."""
    inside = query_number(request, "in")
    if inside is None:
        return reverse("blocks")
    return reverse("session-blocks", args=[inside])
