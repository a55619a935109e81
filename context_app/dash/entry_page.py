"""The entries of a block: the list, and the one that is chosen in it."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from context_app.dash.fields import query_number
from context_app.dash.meters import count_of
from context_app.dash.places import Place
from context_app.models import Block, Entry
from context_app.providers import StorageUnavailable
from context_app.services.reading import find_files, page_of_files, read_entry
from context_app.services.versions import next_version
from sessions_app.dash.access import PageRequest
from sessions_app.dash.reading import text_in, uid_in
from sessions_app.errors import NotFound

PAGE = 25


def entries_of(
    request: PageRequest, place: Place, block: Block, filled: Any = None
) -> dict[str, Any]:
    """Return the entries that match ``?q=``, from ``?after=`` on, and ``?entry=``."""
    if block.source == Block.Source.HISTORY:
        return {"is_history": True}
    label, q = block.label, text_in(request.GET, "q")
    key = request.GET.get("entry", "")
    if filled and filled.form == "entry":
        key = filled.values.get("key", "")
    try:
        entries, more = _page(request, block, q)
        entry = _entry(block, key)
    except StorageUnavailable as failure:
        return {"storage_error": failure.message}
    lost = key and entry is None
    return {
        "q": q,
        "is_files": block.source == Block.Source.STORAGE,
        "entries": [(each, place.url(block=label, entry=each.key)) for each in entries],
        "entry": entry,
        "entry_key": key if entry or lost else "",
        "is_lost": lost,
        "is_adding": "add" in request.GET or bool(filled and filled.form == "entry"),
        "entry_count": count_of(entry.content, block) if entry else None,
        "following": place.url(block=label, q=q, after=more) if more else "",
        "is_later": "after" in request.GET,
        "add_url": place.url(block=label, add=1),
        "next_entry_version": next_version(block, key) if entry else 1,
        "entry_sentence": f"Delete {key}? Its versions stay, and it can be had back.",
    }


def _page(
    request: PageRequest, block: Block, q: str
) -> tuple[list[Entry], int | str | None]:
    if block.source == Block.Source.STORAGE:
        return _page_of_files(request, block, q)
    rows = block.entries.filter(pk__gt=query_number(request, "after") or 0)
    if q:
        rows = rows.filter(
            Q(key__icontains=q) | Q(description__icontains=q) | Q(content__icontains=q)
        )
    shown = list(rows.order_by("pk").defer("content")[: PAGE + 1])
    more = shown[PAGE - 1].pk if len(shown) > PAGE else None
    return shown[:PAGE], more


def _page_of_files(
    request: PageRequest, block: Block, q: str
) -> tuple[list[Entry], str | None]:
    if q:
        return find_files(block, q), None
    return page_of_files(block, PAGE, uid_in(request.GET, "after"))


def _entry(block: Block, key: str) -> Entry | None:
    if not key or "\0" in key:
        return None
    try:
        return read_entry(block, key)
    except NotFound:
        return None
