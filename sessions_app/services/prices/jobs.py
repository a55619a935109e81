"""What takes long with prices, as jobs: a new edition of the list, and pricing anew."""

from __future__ import annotations

from datetime import datetime

from sessions_app.services.jobs import enqueue, job
from sessions_app.services.prices.filling import sync_prices
from sessions_app.services.prices.repricing import reprice


@job
def sync_price_list() -> None:
    """Bring the list's prices up to date; costs stay as they are."""
    sync_prices()


@job
def reprice_ledger(*, since: str | None, model: str | None, reported: bool) -> None:
    """Price the ledger anew. It may be killed and begun again: what is done is done."""
    after = datetime.fromisoformat(since) if since else None
    for _ in reprice(since=after, model=model, reported=reported):
        pass


def queue_sync() -> bool:
    """Have the list synced soon; False: that is under way."""
    return enqueue(sync_price_list, dedupe_key="sync_price_list") is not None


def queue_reprice(*, since: datetime | None, model: str | None, reported: bool) -> bool:
    """Have the ledger priced anew soon; False: that is under way."""
    made = enqueue(
        reprice_ledger,
        dedupe_key="reprice_ledger",
        since=since.isoformat() if since else None,
        model=model,
        reported=reported,
    )
    return made is not None
