"""Where blocks are looked at: in a session, or as an agent's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.db.models import Q
from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils.timezone import now

from context_app.models import Block
from context_app.services.finding import Owner
from sessions_app.dash.access import PageRequest
from sessions_app.models import Agent, Session


class Place(NamedTuple):
    """A session with its agent, or an agent alone."""

    agent: Agent
    session: Session | None = None

    @property
    def owner(self) -> Owner:
        return self.session or self.agent

    def act(self, name: str, pk: int, **state: Any) -> str:
        """Return the address of an act on a block, which leads back here."""
        inside = {"in": self.session.pk} if self.session else {}
        return _with_query(reverse(name, args=[pk]), {**inside, **state})

    @property
    def base(self) -> str:
        if self.session:
            return reverse("session-blocks", args=[self.session.pk])
        return reverse("blocks")

    def url(self, **state: Any) -> str:
        """Return the address of the blocks here, in a state: ``block``, ``entry`` ..."""
        agent = {} if self.session else {"agent": self.agent.name}
        return _with_query(self.base, {**agent, **state})


def _with_query(address: str, state: Mapping[str, Any]) -> str:
    """Return an address with what is not empty of a state."""
    query = QueryDict(mutable=True)
    for name, value in state.items():
        if value not in (None, ""):
            query[name] = str(value)
    return f"{address}?{query.urlencode()}" if query else address


def find_block(pk: int) -> Block:
    """Return a block whose session is there; else the page is a 404."""
    alive = Q(session=None)
    alive |= Q(session__expires_at=None) | Q(session__expires_at__gt=now())
    found = Block.objects.select_related("session__agent", "agent")
    block = found.filter(alive, session__trashed_at=None, pk=pk).first()
    if block is None:
        raise Http404("There is no such block (any more).")
    return block


def place_of(request: PageRequest, block: Block) -> Place:
    """Return where a block is looked at: by ``?in=``, a session that sees it."""
    if block.session:
        return Place(block.session.agent, block.session)
    if block.agent is None:
        raise Http404("There is no such block (any more).")
    wanted = request.GET.get("in", "")
    session = None
    if block.shared and wanted.isdecimal() and len(wanted) < 19:
        session = Session.objects.living().filter(pk=wanted, agent=block.agent).first()
    return Place(block.agent, session)


def agent_named(name: str) -> Agent:
    """Return an agent; else the page is a 404."""
    found = None if "\0" in name else Agent.objects.filter(name=name).first()
    if found is None:
        raise Http404("There is no agent of this name (any more).")
    return found


def usual_agent() -> Agent | None:
    """Return the agent whose own blocks were written last, or else the first by name."""
    owned = Block.objects.filter(agent__isnull=False).select_related("agent")
    newest = owned.order_by("-updated_at").first()
    return newest.agent if newest else Agent.objects.order_by("name").first()
