"""
Sums over the ledger, by what they are asked for.

Whole days are read from the sums that triggers keep (sessions_app.sql.ledger), and
anything else from the ledger itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    F,
    Model,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast

from sessions_app.models import Agent, ApiKey, Session, SessionDay, Usage, UsageDay
from sessions_app.models.fields import from_millis, to_millis
from sessions_app.services.spend.sums import NAMES, Sums, sum_of, sums_from

DAY = 86_400_000
HOUR = 3_600_000
IMPORT = "import"

MOMENT = Cast("created_at", BigIntegerField())
# What tells the groups apart, in the ledger and in the days' totals.
IN_LEDGER: dict[str, Any] = {
    "model": F("model"),
    "purpose": F("purpose"),
    "provider": F("provider"),
    "agent": F("agent_id"),
    "session": F("session_id"),
    "key": F("key_id"),
    "day": MOMENT / DAY,
    "hour": MOMENT / HOUR,
}
IN_DAYS: dict[str, Any] = {
    **{name: F(name) for name in ("model", "purpose", "provider", "day")},
    "agent": F("agent_id"),
    "key": Case(When(key=0, then=Value(None)), default=F("key")),
}
LEDGER_SUMS: dict[str, Any] = {
    **{f"sum_{name}": Sum(name) for name in NAMES},
    "sum_calls": Count("id"),
    "sum_unpriced": Count("id", filter=Q(cost_nanos=None)),
}
DAY_SUMS: dict[str, Any] = {f"sum_{name}": Sum(name) for name in NAMES}

# What groups that are rows are called by.
NAMED: dict[str, tuple[type[Model], str]] = {
    "agent": (Agent, "name"),
    "session": (Session, "key"),
    "key": (ApiKey, "prefix"),
}


@dataclass(slots=True)
class Group:
    """
    ``key`` is a name, an API key's prefix, a day or an hour of UTC as YYYY-MM-DD or
    YYYY-MM-DDTHH:00Z, or None: of sessions that are gone, or of calls without a key.
    ``ref`` is the primary key of what is named.
    """

    key: str | None
    sums: Sums
    ref: int | None = None


@dataclass(slots=True)
class Grouped:
    """``rest`` is the sum of the groups beyond a limit, if there are any."""

    groups: list[Group]
    rest: Sums | None = None


@dataclass(slots=True)
class Span:
    """Which part of the ledger is asked for; ``until`` is left out."""

    agent: Agent | None = None
    since: datetime | None = None
    until: datetime | None = None
    leave_out_imports: bool = False
    whole_days: bool = field(init=False)

    def __post_init__(self) -> None:
        ends = (self.since, self.until)
        self.whole_days = all(end is None or to_millis(end) % DAY == 0 for end in ends)

    def ledger(self) -> QuerySet[Any]:
        rows = self._of_agent(Usage.objects.all())
        if self.since is not None:
            rows = rows.filter(created_at__gte=self.since)
        if self.until is not None:
            rows = rows.filter(created_at__lt=self.until)
        return rows.exclude(purpose=IMPORT) if self.leave_out_imports else rows

    def days(self) -> QuerySet[Any]:
        rows = self._between(UsageDay.objects.all())
        return rows.exclude(purpose=IMPORT) if self.leave_out_imports else rows

    def session_days(self) -> QuerySet[Any]:
        rows = self._between(SessionDay.objects.all())
        return rows.filter(imported=False) if self.leave_out_imports else rows

    def _between(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        rows = self._of_agent(rows)
        if self.since is not None:
            rows = rows.filter(day__gte=to_millis(self.since) // DAY)
        if self.until is not None:
            rows = rows.filter(day__lt=to_millis(self.until) // DAY)
        return rows

    def _of_agent(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows if self.agent is None else rows.filter(agent=self.agent)


def group_usage(*, by: str, limit: int | None = None, **span: Any) -> Grouped:
    """
    Return sums over the part of the ledger that ``span`` says, as ``Span``.

    They are in the keys' order, those without one last; with a limit they are the
    dearest, and these come first.
    """
    asked = Span(**span)
    days = asked.whole_days and by != "hour"
    if days and by == "session":
        return _sessions(asked, limit)
    rows, place, sums = (
        (asked.days(), IN_DAYS[by], DAY_SUMS)
        if days
        else (asked.ledger(), IN_LEDGER[by], LEDGER_SUMS)
    )
    found = _grouped(rows, place, sums)
    if limit is None:
        return Grouped(_named(by, found))
    ranked = sorted(found.items(), key=lambda item: _dearness(item[1]))
    rest = sum_of(sums for _, sums in ranked[limit:])
    return Grouped(
        _named(by, dict(ranked[:limit]), ranked=True), rest if rest.calls else None
    )


def total_usage(**span: Any) -> Sums:
    """Return the sums over the part of the ledger that ``span`` says, as ``Span``."""
    asked = Span(**span)
    if asked.whole_days:
        return _summed(asked.days(), DAY_SUMS)
    return _summed(asked.ledger(), LEDGER_SUMS)


def _sessions(asked: Span, limit: int | None) -> Grouped:
    """What is in the days' totals and of no session is of sessions that are gone."""
    rows = asked.session_days()
    found = _grouped(rows, F("session_id"), DAY_SUMS, limit)
    shown = sum_of(found.values())
    kept = shown if limit is None else _summed(rows, DAY_SUMS)
    gone = _less(_summed(asked.days(), DAY_SUMS), kept)
    groups = _named("session", found, ranked=limit is not None)
    if gone.calls:
        groups.append(Group(None, gone))
    rest = _less(kept, shown)
    return Grouped(groups, rest if rest.calls else None)


def _less(whole: Sums, part: Sums) -> Sums:
    return sums_from(
        (getattr(whole, name) or 0) - (getattr(part, name) or 0) for name in NAMES
    )


def _grouped(
    rows: QuerySet[Any], place: Any, sums: dict[str, Any], limit: int | None = None
) -> dict[Any, Sums]:
    names = [f"sum_{name}" for name in NAMES]
    groups = rows.order_by().values(place=place).annotate(**sums)
    if limit is not None:
        groups = groups.order_by("-sum_cost_nanos", "-sum_input_tokens")[:limit]
    return {key: sums_from(row) for key, *row in groups.values_list("place", *names)}


def _summed(rows: QuerySet[Any], sums: dict[str, Any]) -> Sums:
    found = rows.aggregate(**sums)
    return sums_from(found[f"sum_{name}"] for name in NAMES)


def _named(by: str, found: dict[Any, Sums], *, ranked: bool = False) -> list[Group]:
    if by in NAMED:
        model, name = NAMED[by]
        known = model._default_manager.filter(pk__in=[key for key in found if key])
        names = dict(known.values_list("pk", name))
        groups = [Group(names.get(ref), sums, ref) for ref, sums in found.items()]
    else:
        groups = [Group(_key(by, key), sums) for key, sums in found.items()]
    if ranked:
        return groups
    return sorted(groups, key=lambda group: (group.key is None, group.key or ""))


def _key(by: str, key: Any) -> str:
    if by == "day":
        return from_millis(key * DAY).date().isoformat()
    if by == "hour":
        return from_millis(key * HOUR).strftime("%Y-%m-%dT%H:00Z")
    return str(key)


def _dearness(sums: Sums) -> tuple[int, int]:
    return -(sums.cost_nanos or 0), -sums.prompt_tokens
