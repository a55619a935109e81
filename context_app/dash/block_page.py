"""The three columns: the list of blocks, the one that is chosen, its history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpResponse

from context_app.dash.entry_page import entries_of
from context_app.dash.histories import Comparison, history_of
from context_app.dash.meters import Count, count_of
from context_app.dash.places import Place
from context_app.models import Block
from context_app.services.block_lists import ListedBlock, count_versions, list_blocks
from context_app.services.quarantine import count_held
from sessions_app.dash.access import PageRequest
from sessions_app.dash.answers import show
from sessions_app.dash.rendering.tags import plural
from sessions_app.dash.session.head import head_of
from sessions_app.models import Agent

# What the form of a new block holds.
NEW = ("label", "kind", "scope", "description", "max_tokens", "content")
# Agents to choose from.
MOST_AGENTS = 500


@dataclass(frozen=True, slots=True)
class Draft:
    """
    What somebody typed and is not written yet: with why not, or how it would look.

    ``theirs`` is what stands there meanwhile, compared with it; ``read`` the version
    that was edited.
    """

    text: str
    version: int
    error: str = ""
    findings: Sequence[Mapping[str, Any]] = ()
    preview: str | None = None
    theirs: Comparison | None = None
    theirs_by: str = ""
    read: int = 0


@dataclass(frozen=True, slots=True)
class Filled:
    """A form that is shown again as it was filled in, and why."""

    form: str
    error: str
    values: Mapping[str, str] = field(default_factory=dict)


def show_blocks(
    request: PageRequest,
    place: Place,
    *,
    label: str | None = None,
    draft: Draft | None = None,
    filled: Filled | None = None,
    status: int = 200,
) -> HttpResponse:
    """Answer with the blocks of a place; ``label`` beats the one in the address."""
    listed = list_blocks(place.owner)
    wanted = label or request.GET.get("block")
    chosen = _chosen(listed, wanted)
    if wanted and not chosen:
        status = 404
    context: dict[str, Any] = {
        "place": place,
        "new_url": place.url(new=1),
        "all_url": place.url(),
        "listed": [(each, place.url(block=each.block.label)) for each in listed],
        "chosen": chosen,
        "missing": wanted if wanted and not chosen else "",
        "is_making": "new" in request.GET or (filled and filled.form == "new"),
        "held_count": count_held(),
        "draft": draft,
        "filled": filled,
        "kinds": Block.Kind.choices,
    }
    if chosen and not context["is_making"]:
        context |= _of_block(request, place, chosen, draft, filled)
    if place.session:
        request.nav = "sessions"
        context |= head_of(request, place.session, "blocks")
        return show(request, "blocks/session.html", context, status=status)
    agents = Agent.objects.order_by("name").values_list("name", flat=True)
    context["agents"] = _with(list(agents[:MOST_AGENTS]), place.agent.name)
    return show(request, "blocks/agent.html", context, status=status)


def _chosen(listed: Sequence[ListedBlock], label: str | None) -> ListedBlock | None:
    if not label:
        return listed[0] if listed else None
    return next((each for each in listed if each.block.label == label), None)


def _of_block(
    request: PageRequest,
    place: Place,
    chosen: ListedBlock,
    draft: Draft | None,
    filled: Filled | None,
) -> dict[str, Any]:
    block = chosen.block
    found: dict[str, Any] = {
        "here": place.url(block=block.label),
        "save_url": place.act("block-save", block.pk),
        "preview_url": place.act("block-preview", block.pk),
        "settings_url": place.act("block-settings", block.pk),
        "delete_url": place.act("block-delete", block.pk),
        "delete_sentence": _sentence(chosen),
        "entry_save_url": place.act("entry-save", block.pk),
        "entry_delete_url": place.act("entry-delete", block.pk),
    }
    if block.is_keyed:
        found |= entries_of(request, place, block, filled)
    else:
        text = draft.text if draft else block.content
        count: Count = count_of(text, block)
        found |= {"count": count, "next_version": block.version + 1}
    entry = found.get("entry_key", "")
    return {**found, "history": history_of(request, place, block, entry)}


def _sentence(chosen: ListedBlock) -> str:
    """Say what goes with a block, and who loses it."""
    counts = [plural(count_versions(chosen.block), "version")]
    if chosen.entries:
        counts.append(plural(chosen.entries, "entry,entries"))
    if chosen.held:
        counts.append(plural(chosen.held, "held write"))
    what = " and ".join(counts)
    seen = {
        "session": "this session sees it",
        "shared": f"{plural(chosen.sessions, 'session')} see it",
        "template": "sessions that had their copy keep it",
    }[chosen.scope]
    return f"Delete {chosen.block.label} with {what}? {seen.capitalize()}."


def _with(names: list[str], name: str) -> list[str]:
    return names if name in names else [name, *names]
