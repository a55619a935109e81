"""Sums over the ledger, by what they are asked for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, Count, F, Q, Sum
from django.db.models.functions import Cast

from sessions_app.models import Agent, Usage
from sessions_app.models.fields import from_millis
from sessions_app.services.usage import BUCKETS

DAY = 86_400_000

GROUPS = {
    "model": F("model"),
    "purpose": F("purpose"),
    "agent": F("agent__name"),
    "session": F("session__key"),
    "day": Cast("created_at", BigIntegerField()) / DAY,
}


def group_usage(
    *, agent: Agent | None, by: str, since: datetime | None, until: datetime | None
) -> list[dict[str, Any]]:
    """
    Return sums over the ledger, one for each ``key`` of a group, in the keys' order.

    A key is a name, a day of UTC as YYYY-MM-DD, or None for sessions that are gone.
    """
    rows = Usage.objects.all() if agent is None else Usage.objects.filter(agent=agent)
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    if until is not None:
        rows = rows.filter(created_at__lt=until)
    sums: dict[str, Any] = {bucket: Sum(bucket) for bucket in (*BUCKETS, "cost_nanos")}
    groups = (
        rows.annotate(key=GROUPS[by])
        .values("key")
        # Before the sums, which take the names of the fields.
        .annotate(unpriced=Count("id", filter=Q(cost_nanos=None)))
        .annotate(**sums)
        .order_by("key")
    )
    found: list[dict[str, Any]] = [dict(group) for group in groups]
    if by != "day":
        return found
    return [{**group, "key": _date(group["key"])} for group in found]


def _date(day: int) -> str:
    return from_millis(day * DAY).date().isoformat()
