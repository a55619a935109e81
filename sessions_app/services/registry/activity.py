"""How much goes on: sessions and messages of the last hours and days."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import BigIntegerField, Count
from django.db.models.functions import Cast
from django.utils.timezone import now

from sessions_app.models import Message, Session
from sessions_app.services.spend.groups import DAY


def active_sessions(hours: int = 24) -> int:
    """Return how many sessions something was written to in the last hours."""
    return (
        Session.objects.living()
        .filter(updated_at__gte=now() - timedelta(hours=hours))
        .count()
    )


def messages_since(moment: datetime) -> int:
    return Message.objects.filter(created_at__gte=moment).count()


def messages_by_day(since: datetime) -> dict[int, int]:
    """Return how many messages were written on each day of UTC, counted since 1970."""
    rows = Message.objects.filter(created_at__gte=since).order_by()
    days = rows.values(day=Cast("created_at", BigIntegerField()) / DAY)
    return dict(days.annotate(count=Count("id")).values_list("day", "count"))


def recent_sessions(limit: int) -> list[Session]:
    """Return the sessions that were written to last."""
    found = Session.objects.living().filter(archived_at=None)
    return list(
        found.select_related("agent", "head").order_by("-updated_at", "-id")[:limit]
    )
