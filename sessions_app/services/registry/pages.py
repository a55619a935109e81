"""One page of the list of all sessions, in either direction, and how many there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from sessions_app.models import Session
from sessions_app.models.sessions import Priced, SessionQuerySet
from sessions_app.services.registry.listing import beyond

# Above it the sessions of a filter are no longer counted.
COUNTED = 10_000

# All but the context have an index.
SORTS: Mapping[str, Combinable] = {
    "active": F("updated_at"),
    "created": F("created_at"),
    "name": F("name"),
    "cost": Priced("cost_nanos"),
    "messages": F("message_count"),
    "context": Coalesce(F("head__path_tokens") - F("hidden_tokens"), 0),
}

SHOWN = (
    "key", "name", "kind", "source", "metadata", "fork_point_id", "parent_session_id",
    "compact_after", "hidden_tokens", "message_count", "compaction_error", "cost_nanos",
    "unpriced", "archived_at", "trashed_at", "updated_at", "created_at",
    "agent__name", "agent__compact_after", "head__depth", "head__path_tokens",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Order:
    """
    How the list is sorted, and where the page begins.

    ``place`` is a value of the sort and a primary key, of the row before the page; or,
    going ``backwards``, of the row after it.
    """

    sort: str = "active"
    descending: bool = True
    place: tuple[Any, int] | None = None
    backwards: bool = False


@dataclass(slots=True)
class SessionPage:
    sessions: list[Session]
    has_before: bool
    has_after: bool


def page_of(sessions: SessionQuerySet, order: Order, *, limit: int) -> SessionPage:
    """Return up to ``limit`` sessions; each has the value it is sorted by as ``place``."""
    found = sessions.select_related("agent", "head").only(*SHOWN)
    found = found.annotate(place=SORTS[order.sort])
    descending = order.descending != order.backwards
    if order.place is not None:
        found = beyond(found, "place", *order.place, descending=descending)
    sign = "-" if descending else ""
    rows = list(found.order_by(f"{sign}place", f"{sign}id")[: limit + 1])
    more = len(rows) > limit
    rows = rows[:limit]
    if order.backwards:
        return SessionPage(rows[::-1], has_before=more, has_after=True)
    return SessionPage(rows, has_before=order.place is not None, has_after=more)


def count_up_to(sessions: SessionQuerySet, most: int = COUNTED) -> int:
    """Return how many there are; one more than ``most`` stands for any larger number."""
    return sessions.order_by().values("pk")[: most + 1].count()
