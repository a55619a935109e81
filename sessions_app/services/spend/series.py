"""What was spent in each day or hour of a span, by what: the numbers of a chart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Sum

from sessions_app.models.fields import from_millis, to_millis
from sessions_app.services.spend.groups import HOUR, IN_DAYS, IN_LEDGER, MOMENT, Span
from sessions_app.services.spend.usage import BUCKETS

# By these the ledger's days are kept apart.
SPLITS = ("model", "agent", "purpose", "key")


def slots(since: datetime, until: datetime, size: int) -> list[datetime]:
    """Return the beginnings of the days or hours from ``since`` to before ``until``."""
    first = to_millis(since) // size
    last = (to_millis(until) - 1) // size
    return [from_millis(size * place) for place in range(first, last + 1)]


def series_of(
    *, by: str, hourly: bool = False, **span: Any
) -> dict[Any, dict[int, int]]:
    """
    Return costs in nano-dollars by a split and the slot's number (since 1970).

    The keys are those of the split: a model or purpose, an agent's or key's id.
    """
    asked = Span(**span)
    rows, places = (
        (asked.ledger(), {"slot": MOMENT / HOUR, "split": IN_LEDGER[by]})
        if hourly
        else (asked.days(), {"slot": F("day"), "split": IN_DAYS[by]})
    )
    found: dict[Any, dict[int, int]] = {}
    sums = rows.order_by().values(**places).annotate(sum=Sum("cost_nanos"))
    for split, slot, cost in sums.values_list("split", "slot", "sum"):
        found.setdefault(split, {})[int(slot)] = cost or 0
    return found


def token_series(*, hourly: bool = False, **span: Any) -> dict[str, dict[int, int]]:
    """Return tokens by their bucket and the slot's number."""
    asked = Span(**span)
    rows, slot = (asked.ledger(), MOMENT / HOUR) if hourly else (asked.days(), F("day"))
    sums = rows.order_by().values(slot=slot)
    sums = sums.annotate(**{f"sum_{name}": Sum(name) for name in BUCKETS})
    found: dict[str, dict[int, int]] = {name: {} for name in BUCKETS}
    for place, *tokens in sums.values_list(
        "slot", *(f"sum_{name}" for name in BUCKETS)
    ):
        for name, count in zip(BUCKETS, tokens, strict=True):
            found[name][int(place)] = count or 0
    return found


def session_series(ids: Sequence[int], **span: Any) -> dict[int, dict[int, int]]:
    """Return the costs of some sessions by day."""
    rows = Span(**span).session_days().filter(session__in=ids).order_by()
    found: dict[int, dict[int, int]] = {}
    for session, day, cost in rows.values_list("session", "day").annotate(
        sum=Sum("cost_nanos")
    ):
        found.setdefault(session, {})[day] = cost or 0
    return found


def unpriced_models(limit: int = 5, **span: Any) -> list[tuple[str, int]]:
    """Return the models that calls without a price were made to, and how many."""
    rows = Span(**span).days().filter(unpriced__gt=0).order_by()
    sums = rows.values("model").annotate(sum=Sum("unpriced")).order_by("-sum")
    return list(sums.values_list("model", "sum")[:limit])
