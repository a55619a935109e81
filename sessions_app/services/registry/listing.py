"""Lists of sessions, page by page, at the same cost for each page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from sessions_app.models import Session
from sessions_app.models.sessions import SessionQuerySet

STATUSES: Mapping[str, Q] = {
    "active": Q(archived_at=None),
    "archived": Q(archived_at__isnull=False),
    "all": Q(),
}


def filter_sessions(
    sessions: SessionQuerySet, *, q: str | None, status: str, **equal: Any
) -> SessionQuerySet:
    """Keep the sessions with ``q`` in their name or key; what is None does not filter."""
    found = sessions.living().filter(STATUSES[status])
    if q:
        found = found.filter(Q(name__icontains=q) | Q(key__icontains=q))
    return found.filter(
        **{name: value for name, value in equal.items() if value is not None}
    )


def page_of_sessions(
    sessions: SessionQuerySet, *, order: str, after: tuple[Any, int] | None, limit: int
) -> list[Session]:
    """
    Return up to ``limit`` + 1 sessions in an order: a field, with "-" for descending.

    ``after`` is where the page before ended: the field's value and the primary key.
    """
    field = order.removeprefix("-")
    descending = order.startswith("-")
    if after is not None:
        sessions = beyond(sessions, field, *after, descending=descending)
    sign = "-" if descending else ""
    return list(sessions.order_by(order, f"{sign}id")[: limit + 1])


def beyond(
    sessions: SessionQuerySet, field: str, value: Any, last: int, *, descending: bool
) -> SessionQuerySet:
    """Keep what comes after a place in an order: a field's value, and a primary key."""
    side = "lt" if descending else "gt"
    # The first condition is where a database starts to read; an OR alone is none.
    return sessions.filter(
        Q(**{f"{field}__{side}": value}) | Q(**{f"id__{side}": last}),
        **{f"{field}__{side}e": value},
    )
