"""The sums of the ledger's days, row by row: what the CSV holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sessions_app.models import ApiKey
from sessions_app.models.fields import from_millis
from sessions_app.services.spend.groups import DAY, Span
from sessions_app.services.spend.usage import BUCKETS, NANOS

HEAD = (
    "day",
    "agent",
    "provider",
    "model",
    "purpose",
    "key",
    "calls",
    *BUCKETS,
    "cost_usd",
    "unpriced",
)


def ledger_days(**span: Any) -> Iterator[tuple[Any, ...]]:
    """
    Yield a row for each day, agent, model, purpose and key, the oldest day first.

    ``cost_usd`` is of the calls that have a price, and empty where none has.
    """
    keys = dict(ApiKey.objects.values_list("id", "prefix"))
    rows = Span(**span).days().order_by("day", "id").select_related("agent")
    for row in rows.iterator(chunk_size=1000):
        priced = row.calls > row.unpriced
        yield (
            from_millis(row.day * DAY).date().isoformat(),
            row.agent.name,
            row.provider,
            row.model,
            row.purpose,
            keys.get(row.key, ""),
            row.calls,
            *(getattr(row, bucket) for bucket in BUCKETS),
            f"{row.cost_nanos / NANOS:.9f}" if priced else "",
            row.unpriced,
        )
