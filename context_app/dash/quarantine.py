"""Writes that were held back because they look like prompt injection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString

from context_app.authors import operator
from context_app.dash.fields import query_number
from context_app.dash.histories import Comparison, compared
from context_app.dash.marking import marked, rule_name
from context_app.dash.places import Place, agent_named
from context_app.dash.writers import who
from context_app.models import Block, Entry, HeldWrite
from context_app.services.deciding import approve, reject
from context_app.services.quarantine import held_writes_of
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast, warn
from sessions_app.errors import MemoryHubError

PAGE = 10
STATES = ("held", "approved", "rejected", "all")


@dataclass(frozen=True, slots=True)
class HeldRow:
    """A held write with its text marked, and what it would change (None: decided)."""

    held: HeldWrite
    place: Place
    who: str
    url: str
    findings: Sequence[tuple[str, str]]
    text: SafeString
    comparison: Comparison | None


@page(Role.VIEWER, nav="blocks")
def quarantine(request: PageRequest) -> HttpResponse:
    """List held writes, the oldest first; those decided on, the newest first."""
    state = request.GET.get("state", "held")
    if state not in STATES:
        raise Http404("There is no such state: held, approved, rejected or all.")
    name = request.GET.get("agent", "")
    agent = agent_named(name) if name else None
    found = held_writes_of(agent.pk if agent else None)
    if state != "all":
        found = found.filter(state=state)
    after = query_number(request, "after")
    oldest = state == "held"
    if after is not None:
        found = found.filter(pk__gt=after) if oldest else found.filter(pk__lt=after)
    shown = list(found.order_by("pk" if oldest else "-pk")[: PAGE + 1])
    context = {
        "rows": _rows(request, shown[:PAGE]),
        "state": state,
        "states": STATES,
        "agent_name": name,
        "next_after": shown[PAGE - 1].pk if len(shown) > PAGE else None,
        "is_later": after is not None,
    }
    return show(request, "quarantine/quarantine.html", context)


@page(Role.OPERATOR, nav="blocks")
def quarantine_decide(request: PageRequest, pk: int) -> HttpResponse:
    """Approve or reject one held write."""
    back = reverse("quarantine")
    decision = request.POST.get("decision")
    if request.method != "POST" or decision not in ("approve", "reject"):
        return go(request, back)
    held = held_writes_of(None).filter(pk=pk).first()
    if held is None:
        raise Http404("There is no such write (any more).")
    decide = approve if decision == "approve" else reject
    try:
        decide(held=held, operator=operator(request.user.username))
    except MemoryHubError as error:
        warn(request, error)
    else:
        done = "approved, and written" if decision == "approve" else "rejected"
        toast(request, f"The write to {held.block.label} was {done}")
    return go(request, back)


def _rows(request: PageRequest, writes: Sequence[HeldWrite]) -> list[HeldRow]:
    entries = {
        (entry.block_id, entry.key): entry
        for entry in Entry.objects.filter(
            block__in=[held.block_id for held in writes if held.key],
            key__in=[held.key for held in writes if held.key],
        )
    }
    return [
        _row(request, held, entries.get((held.block_id, held.key))) for held in writes
    ]


def _row(request: PageRequest, held: HeldWrite, entry: Entry | None) -> HeldRow:
    block = held.block
    place = _place(block)
    return HeldRow(
        held=held,
        place=place,
        who=who(held.author),
        url=place.url(block=block.label, entry=held.key),
        findings=[(rule_name(each["rule"]), each["excerpt"]) for each in held.findings],
        text=marked(held.content or ""),
        comparison=_comparison(request, held, entry),
    )


def _place(block: Block) -> Place:
    if block.session:
        return Place(block.session.agent, block.session)
    assert block.agent is not None  # noqa: S101 (a constraint of the database)
    return Place(block.agent)


def _comparison(
    request: PageRequest, held: HeldWrite, entry: Entry | None
) -> Comparison | None:
    """Return what approval would change now."""
    if held.state != HeldWrite.State.HELD or held.content is None:
        return None
    block = held.block
    if held.action == HeldWrite.Action.ENTRY:
        before, version = (entry.content, entry.version) if entry else ("", 0)
    else:
        before, version = block.content, block.version
    after = held.content
    if held.action == HeldWrite.Action.APPEND:
        gap = "\n" if before and not after.startswith("\n") else ""
        after = before + gap + after
    return compared(
        request, f"v{version}" if version else "nothing", "held", before, after
    )
