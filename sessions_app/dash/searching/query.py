"""What the address of the search page says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.http import Http404, QueryDict
from django.utils.timezone import now

from sessions_app.dash.reading import choice_in, day_in, number_in, text_in
from sessions_app.models import Agent, Session
from sessions_app.models.fields import to_millis
from sessions_app.search import Scope
from sessions_app.services.registry.agents import get_agent

WINDOWS = {
    "24h": ("24 hours", timedelta(hours=24)),
    "7d": ("7 days", timedelta(days=7)),
    "30d": ("30 days", timedelta(days=30)),
}
PLACES = {"messages": "Messages", "blocks": "Block entries"}
LONGEST = 2_000  # longer than a query may be, so that this is said
NARROWED_BY = ("session", "agent", "in", "role", "when", "since", "until", "group")


@dataclass(slots=True)
class SearchQuery:
    """``group`` is a lineage whose hits are shown alone, ``start`` what is passed over."""

    q: str
    agent: Agent | None
    session: Session | None
    place: str
    role: str
    when: str
    scope: Scope
    group: int
    start: int

    @property
    def wants_messages(self) -> bool:
        return self.place != "blocks"

    @property
    def wants_blocks(self) -> bool:
        """Entries have no role, and are of no time."""
        narrowed = self.role or self.scope.since or self.scope.until or self.group
        return self.place != "messages" and not narrowed


def read_search(params: QueryDict) -> SearchQuery:
    """
    :raises Invalid: if a value makes no sense
    :raises NotFound: if there is no such agent
    """
    name = text_in(params, "agent")
    agent = get_agent(name) if name else None
    session = _session(number_in(params, "session"))
    role = text_in(params, "role", 100)
    when = choice_in(params, "when", WINDOWS)
    since, until = day_in(params, "since"), day_in(params, "until", ends=True)
    if when and since is None:
        since = now() - WINDOWS[when][1]
    narrowed: dict[str, Any] = {
        "role": role or None,
        "since": since and to_millis(since),
        "until": until and to_millis(until),
    }
    if session:
        # With what it inherits, which belongs to other sessions.
        scope = Scope(session=session.pk, path=session.fork_point_id, **narrowed)
    else:
        scope = Scope(agent=agent.pk if agent else None, **narrowed)
    return SearchQuery(
        q=text_in(params, "q", LONGEST),
        agent=None if session else agent,
        session=session,
        place=choice_in(params, "in", PLACES),
        role=role,
        when=when,
        scope=scope,
        group=number_in(params, "group"),
        start=number_in(params, "start"),
    )


def _session(pk: int) -> Session | None:
    if not pk:
        return None
    found = Session.objects.living().select_related("agent").filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such session (any more).")
    return found
