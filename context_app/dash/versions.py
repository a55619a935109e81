"""All versions of a block or an entry, any two compared, and the way back."""

from __future__ import annotations

from django.db.models import Max
from django.http import Http404, HttpResponse

from context_app.authors import operator
from context_app.dash.fields import query_number, version_of
from context_app.dash.histories import Comparison, compared, find_version, lines_of
from context_app.dash.places import find_block, place_of
from context_app.models import Block, Entry, HeldWrite, Version
from context_app.services.blocks import revert_block
from context_app.services.entries import revert_entry
from context_app.services.histories import page_of_changes
from context_app.services.versions import versions_of
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast, warn
from sessions_app.dash.session.head import head_of
from sessions_app.errors import MemoryHubError

PAGE = 50


@page(Role.VIEWER, nav="blocks")
def block_versions(request: PageRequest, pk: int) -> HttpResponse:
    """List versions from ``?below=`` on; ``?from=`` and ``?to=`` are compared."""
    block = find_block(pk)
    place = place_of(request, block)
    key = request.GET.get("entry", "").replace("\0", "")
    changes, below = page_of_changes(
        block, key, below=query_number(request, "below"), limit=PAGE
    )
    newest = versions_of(block, key).aggregate(newest=Max("version"))["newest"]
    if newest is None:
        raise Http404("There are no versions of this (any more).")
    old, new = (_asked(request, block, key, name) for name in ("from", "to"))
    comparison = None
    if old and new:
        comparison = _between(request, old, new)
    context = {
        "place": place,
        "of": block,
        "key": key,
        "lines": lines_of(place, block, changes),
        "newest": newest,
        "old": old,
        "new": new,
        "comparison": comparison,
        "following": place.act("block-versions", block.pk, entry=key, below=below)
        if below
        else "",
        "first": place.act("block-versions", block.pk, entry=key),
        "revert_url": place.act("block-revert", block.pk, entry=key),
        "is_later": "below" in request.GET,
        "back": place.url(block=block.label, entry=key),
    }
    if place.session:
        request.nav = "sessions"
        context |= head_of(request, place.session, "blocks")
        return show(request, "blocks/session_versions.html", context)
    return show(request, "blocks/agent_versions.html", context)


@page(Role.OPERATOR, nav="blocks")
def block_revert(request: PageRequest, pk: int) -> HttpResponse:
    """Write a block, or with ``?entry=`` an entry, as it was in a version."""
    block = find_block(pk)
    place = place_of(request, block)
    key = request.GET.get("entry", "")
    back = place.url(block=block.label, entry=key)
    if request.method != "POST":
        return go(request, back)
    author = operator(request.user.username)
    try:
        number = _number(request)
        written: Block | Entry | HeldWrite
        if key:
            written = revert_entry(block=block, key=key, version=number, author=author)
        else:
            written = revert_block(block=block, version=number, author=author)
    except MemoryHubError as error:
        warn(request, error)
        return go(request, place.url(block=block.label))
    if isinstance(written, HeldWrite):
        toast(request, "Held in quarantine until somebody approves it")
    else:
        name = key or block.label
        toast(request, f"{name} is as it was in v{number}, now v{written.version}")
    return go(request, back)


def _number(request: PageRequest) -> int:
    """Return the version to go back to: from the form, or a toast's address."""
    asked = query_number(request, "version")
    return version_of(request) if asked is None else asked


def _asked(request: PageRequest, block: Block, key: str, name: str) -> Version | None:
    number = query_number(request, name)
    return None if number is None else find_version(block, number, key)


def _between(request: PageRequest, old: Version, new: Version) -> Comparison:
    return compared(
        request, f"v{old.version}", f"v{new.version}", old.content, new.content
    )
