"""The stretch of time that a page on spend looks at: kept in its address."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.http import QueryDict
from django.utils.timezone import now

from sessions_app.errors import Invalid

PRESETS = {"24h": "24 h", "7d": "7 d", "30d": "30 d", "90d": "90 d"}
LONGEST = 366  # days; a bar is to be seen


@dataclass(frozen=True, slots=True)
class Range:
    """``until`` is left out; ``preset`` is "" for dates that were chosen."""

    preset: str
    since: datetime
    until: datetime
    with_imports: bool

    @property
    def hourly(self) -> bool:
        return self.preset == "24h"

    @property
    def span(self) -> dict[str, Any]:
        return {
            "since": self.since,
            "until": self.until,
            "leave_out_imports": not self.with_imports,
        }

    @property
    def whole_days(self) -> dict[str, Any]:
        """The span with its days begun and ended: what is kept by day needs that."""
        return {
            **self.span,
            "since": midnight(self.since.date()),
            "until": midnight(self.last_day + timedelta(days=1)),
        }

    @property
    def before(self) -> dict[str, Any]:
        """The stretch of the same length that ends where this one begins."""
        length = self.until - self.since
        return {**self.span, "since": self.since - length, "until": self.since}

    @property
    def last_day(self) -> date:
        return (self.until - timedelta(milliseconds=1)).date()


def read_range(query: QueryDict) -> Range:
    """
    Return what ``?range=``, or ``?since=`` and ``?until=`` (both included), ask for.

    :raises Invalid: for a date that is none, or a range that is too long or ends before
        it begins
    """
    with_imports = query.get("imports") != "out"
    tomorrow = midnight(now().date() + timedelta(days=1))
    if query.get("since") or query.get("until"):
        until = midnight(_date(query, "until", now().date()) + timedelta(days=1))
        since = midnight(_date(query, "since", until.date() - timedelta(days=30)))
        if not timedelta() < until - since <= timedelta(days=LONGEST):
            raise Invalid(
                f"since: must be before until, and at most {LONGEST} days before",
                field="since",
            )
        return Range("", since, until, with_imports)
    preset = query.get("range", "30d")
    if preset == "24h":
        end = now().replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
        return Range(preset, end - timedelta(hours=24), end, with_imports)
    if preset not in PRESETS:
        raise Invalid(f"range: must be one of {', '.join(PRESETS)}", field="range")
    days = int(preset.removesuffix("d"))
    return Range(preset, tomorrow - timedelta(days=days), tomorrow, with_imports)


def midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _date(query: QueryDict, name: str, otherwise: date) -> date:
    text = query.get(name)
    if not text:
        return otherwise
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise Invalid(f"{name}: must be a date, YYYY-MM-DD", field=name) from None
    if not date(2000, 1, 1) <= found <= date(2200, 1, 1):
        raise Invalid(f"{name}: must be a date of this age", field=name)
    return found
