"""The periods of budgets: total, months and days of UTC, counted in days since 1970."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

EPOCH = date(1970, 1, 1)
# Later than any day there is.
NEVER = (date.max - EPOCH).days


class Span(NamedTuple):
    """The days from ``start`` up to ``end``, which is left out."""

    start: int
    end: int


def span_of(period: str, at: datetime) -> Span:
    """Return the days of the period (total, month or day) that a moment is in."""
    if period == "total":
        return Span(0, NEVER)
    today = at.astimezone(UTC).date()
    if period == "day":
        start = (today - EPOCH).days
        return Span(start, start + 1)
    first = today.replace(day=1)
    following = (first + timedelta(days=31)).replace(day=1)
    return Span((first - EPOCH).days, (following - EPOCH).days)


def moment_of(day: int) -> datetime | None:
    """Return when a day begins; None for the bounds of a total, which has none."""
    if day in (0, NEVER):
        return None
    return datetime.fromtimestamp(day * 86_400, tz=UTC)
