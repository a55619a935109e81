"""Writing and deleting the entries of a block."""

from __future__ import annotations

from django.http import HttpResponse

from context_app.authors import operator
from context_app.dash.block_page import Filled, show_blocks
from context_app.dash.fields import text_of, version_of
from context_app.dash.places import Place, find_block, place_of
from context_app.models import Block, Entry, HeldWrite
from context_app.services.entries import delete_entry, set_entry
from context_app.services.versions import versions_of
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, status_of, toast, warn
from sessions_app.errors import MemoryHubError

FIELDS = ("key", "description", "content", "version")


@page(Role.OPERATOR, nav="blocks")
def entry_save(request: PageRequest, pk: int) -> HttpResponse:
    """Write an entry, or add it: version 0 says that there is none yet."""
    block = find_block(pk)
    place = place_of(request, block)
    if request.method != "POST":
        return go(request, place.url(block=block.label))
    values = {name: text_of(request, name) for name in FIELDS}
    try:
        written: Entry | HeldWrite = set_entry(
            block=block,
            key=values["key"].strip(),
            content=values["content"],
            description=values["description"],
            version=version_of(request),
            author=operator(request.user.username),
        )
    except MemoryHubError as error:
        filled = Filled("entry", error.message, values)
        return show_blocks(
            request, place, label=block.label, filled=filled, status=status_of(error)
        )
    if isinstance(written, HeldWrite):
        toast(request, f"{written.key}: held in quarantine until somebody approves it")
    else:
        toast(request, f"{written.key} saved as v{written.version}")
    return go(request, place.url(block=block.label, entry=written.key))


@page(Role.OPERATOR, nav="blocks")
def entry_delete(request: PageRequest, pk: int) -> HttpResponse:
    """Delete an entry; the toast has it back from its versions."""
    block = find_block(pk)
    place = place_of(request, block)
    back = place.url(block=block.label)
    if request.method != "POST":
        return go(request, back)
    key = text_of(request, "key")
    try:
        delete_entry(block=block, key=key, author=operator(request.user.username))
    except MemoryHubError as error:
        warn(request, error)
    else:
        toast(request, f"{key} deleted", undo=_way_back(place, block, key))
    return go(request, back)


def _way_back(place: Place, block: Block, key: str) -> str | None:
    """Return the address at which a deleted entry is had back."""
    last = versions_of(block, key).filter(deleted=False).order_by("-version").first()
    if last is None:
        return None
    return place.act("block-revert", block.pk, entry=key, version=last.version)
