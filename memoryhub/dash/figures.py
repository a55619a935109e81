"""The figures in the overview's tiles."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.utils.timezone import now

from memoryhub.services.backups import list_backups
from sessions_app.dash.spend.ranges import midnight
from sessions_app.services.registry.activity import active_sessions, messages_since
from sessions_app.services.spend.groups import total_usage


def tiles() -> dict[str, Any]:
    """Return what the last 24 hours, and today in UTC, came to."""
    yesterday = now() - timedelta(hours=24)
    today = midnight(now().date())
    week = total_usage(since=today - timedelta(days=7), until=today)
    day = total_usage(since=yesterday)
    return {
        "active": active_sessions(),
        "message_count": messages_since(yesterday),
        "day": day,
        "day_tokens": day.prompt_tokens + day.output_tokens + day.reasoning_tokens,
        "today": total_usage(since=today, until=today + timedelta(days=1)),
        "week_mean": (week.cost_nanos or 0) // 7,
    }


def newest_backup() -> datetime | None:
    """Return when the last backup was made, of those that we make ourselves."""
    backups = list_backups()
    return backups[0].made_at if backups else None
