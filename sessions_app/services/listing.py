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
        value, last = after
        beyond = "lt" if descending else "gt"
        sessions = sessions.filter(
            Q(**{f"{field}__{beyond}": value})
            | Q(**{field: value, f"id__{beyond}": last})
        )
    sign = "-" if descending else ""
    return list(sessions.order_by(order, f"{sign}id")[: limit + 1])
