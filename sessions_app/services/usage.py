"""The ledger of what models used, and a session's running sums over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django.db import transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce
from django.utils.timezone import now

from sessions_app.models import Session, Usage
from sessions_app.services.finding import get_found
from sessions_app.services.locking import lock_session

NANOS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """Disjoint buckets: ``input_tokens`` were neither read from nor written to a cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


BUCKETS = tuple(field.name for field in fields(Tokens))


@transaction.atomic
def add_usage(
    *,
    session: Session,
    tokens: Tokens,
    cost: Decimal | None = None,
    message: str | None = None,
    response_id: str | None = None,
    **details: Any,
) -> tuple[Usage, bool]:
    """
    Add a row to the ledger, and return it with whether it is new.

    A response that the session has counted before changes nothing. ``cost`` is in US
    dollars; None is unknown, and counted as a row without a price. ``details`` are
    fields of the row: provider, model, purpose, raw, created_at.

    :raises NotFound: if the session sees no message of the id ``message``
    """
    session = lock_session(session)
    if response_id is not None:
        known = session.usage_rows.filter(response_id=response_id).first()
        if known:
            return known, False
    row = Usage.objects.create(
        agent_id=session.agent_id,
        session=session,
        message_id=get_found(session, message).id if message else None,
        response_id=response_id,
        cost_nanos=None if cost is None else to_nanos(cost),
        **{bucket: getattr(tokens, bucket) for bucket in BUCKETS},
        **details,
    )
    _add_to_sums(session, row)
    return row, True


@transaction.atomic
def add_usage_rows(*, session: Session, rows: Sequence[Usage]) -> list[Usage]:
    """
    Add many rows to the ledger, none of them stored yet, and return those that are new.

    As with ``add_usage``, a response that the session has counted before is left out.
    """
    session = lock_session(session)
    known = set(session.usage_rows.values_list("response_id", flat=True))
    fresh = []
    for row in rows:
        if row.response_id is None or row.response_id not in known:
            known.add(row.response_id)
            fresh.append(row)
    if fresh:
        Usage.objects.bulk_create(fresh)
        _add_to_sums(session, *fresh)
    return fresh


def _add_to_sums(session: Session, *rows: Usage) -> None:
    sums: dict[str, Any] = {
        bucket: F(bucket) + sum(getattr(row, bucket) for row in rows)
        for bucket in BUCKETS
    }
    costs = [row.cost_nanos for row in rows if row.cost_nanos is not None]
    if costs:
        sums["cost_nanos"] = Coalesce(F("cost_nanos"), Value(0)) + sum(costs)
    sums["unpriced"] = F("unpriced") + len(rows) - len(costs)
    Session.objects.filter(id=session.id).update(**sums, updated_at=now())


def to_nanos(cost: Decimal) -> int:
    """Return dollars as whole billionths of a dollar, to the nearest."""
    return int((cost * NANOS).to_integral_value(ROUND_HALF_EVEN))


def to_dollars(nanos: int | None) -> float | None:
    return None if nanos is None else nanos / NANOS
