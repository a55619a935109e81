"""Our price table, filled from the list that genai-prices keeps."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils.timezone import now

from sessions_app.models import Price
from sessions_app.pricing import RATES
from sessions_app.services.jobs import enqueue, job
from sessions_app.services.prices import LOOK_EVERY, forget_prices
from sessions_app.services.prices.listed import read_list
from sessions_app.services.prices.repricing import reprice

BATCH = 500

# What tells two rows of the list apart, and what may differ between two editions.
KEY = ("provider", "model", "match", "valid_from")
CONTENT = (*RATES, "tiers")


@dataclass
class Synced:
    """What a new edition of the list changes in our table."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0


def sync_prices(*, dry_run: bool = False) -> Synced:
    """
    Bring the list's rows in our table to what genai-prices says; operators' rows stay.

    It imports genai-prices: a quarter of a second, and 40 MB that stay with the process.
    """
    wanted = {tuple(getattr(row, name) for name in KEY): row for row in read_list()}
    stored = Price.objects.filter(source=Price.Source.LIST)
    known = {tuple(getattr(row, name) for name in KEY): row for row in stored}
    added = [row for key, row in wanted.items() if key not in known]
    gone = [row.id for key, row in known.items() if key not in wanted]
    changed = []
    for key in wanted.keys() & known.keys():
        row, new = known[key], wanted[key]
        if any(getattr(row, name) != getattr(new, name) for name in CONTENT):
            for name in (*CONTENT, "updated_at"):
                setattr(row, name, getattr(new, name))
            changed.append(row)
    if not dry_run:
        _write(added, changed, gone)
    same = len(known) - len(gone) - len(changed)
    return Synced(len(added), len(changed), len(gone), same)


@transaction.atomic
def _write(added: list[Price], changed: list[Price], gone: list[int]) -> None:
    Price.objects.bulk_create(added, batch_size=BATCH)
    Price.objects.bulk_update(changed, [*CONTENT, "updated_at"], batch_size=BATCH)
    for start in range(0, len(gone), BATCH):
        Price.objects.filter(id__in=gone[start : start + BATCH]).delete()
    forget_prices()


@job
def fill_price_table() -> None:
    """Fill the table where it is empty, and price what has come in meanwhile."""
    if not Price.objects.filter(source=Price.Source.LIST).exists():
        sync_prices()
    price_what_came_in()
    # Other processes find the new prices out a moment later.
    enqueue(price_what_came_in, run_after=now() + timedelta(seconds=2 * LOOK_EVERY))


@job
def price_what_came_in() -> None:
    for _ in reprice():
        pass


def want_prices() -> None:
    """Have the table filled soon, by the job worker, where it has none of the list."""
    if not Price.objects.filter(source=Price.Source.LIST).exists():
        enqueue(fill_price_table, dedupe_key="fill_price_table")
