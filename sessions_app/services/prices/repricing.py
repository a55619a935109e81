"""Pricing the rows of the ledger anew, after prices have changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from sessions_app import sql
from sessions_app.models import Session, Usage
from sessions_app.services.prices import compute_cost

# Rows in a transaction: writers wait no longer than for these.
BATCH = 500

CHANGE = """
UPDATE sessions_app_usage
SET computed_nanos = %(computed_nanos)s, cost_nanos = %(cost_nanos)s,
    cost_source = %(cost_source)s, price_snapshot = %(price_snapshot)s
WHERE id = %(id)s
"""
CHANGED = ("id", "computed_nanos", "cost_nanos", "cost_source", "price_snapshot")


@dataclass
class ModelChange:
    """``before`` and ``after`` are what counts; ``computed`` is what the prices say."""

    rows: int = 0
    changed: int = 0
    before: int = 0
    after: int = 0
    computed: int = 0
    unpriced_before: int = 0
    unpriced_after: int = 0


@dataclass
class Repriced:
    """What was done until now, by model."""

    rows: int = 0
    changed: int = 0
    models: dict[str, ModelChange] = field(default_factory=dict)


def rows_to_reprice(
    *, since: datetime | None = None, model: str | None = None
) -> QuerySet[Usage]:
    rows = Usage.objects.all()
    if since is not None:
        rows = rows.filter(created_at__gte=since)
    return rows if model is None else rows.filter(model=model)


def reprice(
    *,
    since: datetime | None = None,
    model: str | None = None,
    reported: bool = False,
    dry_run: bool = False,
) -> Iterator[Repriced]:
    """
    Compute the cost of rows anew; yield the report as it grows, a batch at a time.

    What a client or a provider has reported stays the cost of its row, and is only
    compared with, unless ``reported``. Sums follow by themselves. The server may run on:
    each batch is a transaction of its own. Running it again changes nothing.
    """
    rows = rows_to_reprice(since=since, model=model)
    report = Repriced()
    last = 0
    while True:
        ids = list(
            rows.filter(id__gt=last).order_by("id").values_list("id", flat=True)[:BATCH]
        )
        if not ids:
            break
        last = ids[-1]
        _reprice_batch(ids, report, reported=reported, dry_run=dry_run)
        yield report
    if not report.rows:
        yield report


@transaction.atomic
def _reprice_batch(
    ids: list[int], report: Repriced, *, reported: bool, dry_run: bool
) -> None:
    if not dry_run:
        # As every writer to the ledger: first the sessions, then the days.
        of_batch = Usage.objects.filter(id__in=ids).values("session")
        sessions = Session.objects.filter(id__in=of_batch).order_by("id")
        list(sessions.select_for_update().values_list("id", flat=True))
    changes = []
    for row in Usage.objects.filter(id__in=ids).defer("raw").order_by("id"):
        before = {name: getattr(row, name) for name in CHANGED}
        was = row.cost_nanos
        _price_again(row, reported=reported)
        after = {name: getattr(row, name) for name in CHANGED}
        note = report.models.setdefault(row.model, ModelChange())
        note.rows += 1
        note.before += was or 0
        note.after += row.cost_nanos or 0
        note.computed += row.computed_nanos or 0
        note.unpriced_before += was is None
        note.unpriced_after += row.cost_nanos is None
        report.rows += 1
        if after != before:
            note.changed += 1
            report.changed += 1
            changes.append((order_in_ledger(row), after))
    if not dry_run:
        sql.execute_many(CHANGE, [change for _, change in sorted(changes, key=first)])


def first(pair: tuple[tuple[object, ...], object]) -> tuple[object, ...]:
    return pair[0]


def order_in_ledger(row: Usage) -> tuple[object, ...]:
    """
    Return where a row stands in the one order in which rows are written together.

    It is that of the days' totals, which writers on PostgreSQL wait for.
    """
    day = int(row.created_at.timestamp() // 86_400)
    return (day, row.agent_id, row.provider, row.model, row.purpose, row.key_id or 0)


def _price_again(row: Usage, *, reported: bool) -> None:
    compute_cost(row)
    is_reported = row.cost_source == Usage.CostSource.REPORTED
    if is_reported and not (reported and row.computed_nanos is not None):
        return
    row.cost_nanos = row.computed_nanos
    known = row.computed_nanos is not None
    row.cost_source = Usage.CostSource.COMPUTED if known else Usage.CostSource.UNKNOWN
