"""The ledger of what models used, and a session's running sums over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django.db import transaction

from sessions_app import sql
from sessions_app.models import Message, Session, Usage
from sessions_app.models.fields import now_millis, to_millis
from sessions_app.services.finding import Tree, get_found
from sessions_app.services.locking import lock_session, lock_session_row

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


COLUMNS = (
    "session_id",
    "message_id",
    "provider",
    "model",
    "purpose",
    *BUCKETS,
    "cost_nanos",
    "response_id",
    "raw",
)

INSERT = """
INSERT INTO sessions_app_usage (
    agent_id, session_id, message_id, provider, model, purpose, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost_nanos,
    response_id, raw, created_at
)
SELECT
    session.agent_id, session.id, CAST(%(message_id)s AS bigint), %(provider)s,
    %(model)s, %(purpose)s, %(input_tokens)s, %(output_tokens)s, %(cache_read_tokens)s,
    %(cache_write_tokens)s, %(reasoning_tokens)s, CAST(%(cost_nanos)s AS bigint),
    CAST(%(response_id)s AS varchar), %(raw)s, %(created_at)s
FROM sessions_app_session session
WHERE session.id = %(session_id)s
RETURNING id, agent_id
"""

ADD_TO_SUMS = """
UPDATE sessions_app_session
SET input_tokens = input_tokens + %(input_tokens)s,
    output_tokens = output_tokens + %(output_tokens)s,
    cache_read_tokens = cache_read_tokens + %(cache_read_tokens)s,
    cache_write_tokens = cache_write_tokens + %(cache_write_tokens)s,
    reasoning_tokens = reasoning_tokens + %(reasoning_tokens)s,
    cost_nanos = CASE WHEN CAST(%(cost_nanos)s AS bigint) IS NULL THEN cost_nanos
        ELSE coalesce(cost_nanos, 0) + CAST(%(cost_nanos)s AS bigint) END,
    unpriced = unpriced + %(unpriced)s,
    updated_at = %(now)s
WHERE id = %(session)s
"""


@transaction.atomic
def add_usage(
    *,
    session: Tree,
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
    lock_session_row(session.id)
    if response_id is not None:
        known = Usage.objects.filter(
            session=session.id, response_id=response_id
        ).first()
        if known:
            return known, False
    found = get_found(session, message) if message else None
    row = Usage(
        session_id=session.id,
        message=Message(id=found.id, uid=found.uid) if found else None,
        response_id=response_id,
        cost_nanos=None if cost is None else to_nanos(cost),
        **{bucket: getattr(tokens, bucket) for bucket in BUCKETS},
        **details,
    )
    values = {name: getattr(row, name) for name in COLUMNS}
    created_at = to_millis(row.created_at)
    row.pk, row.agent_id = sql.one(INSERT, **values, created_at=created_at)
    _add_to_sums(session.id, [row])
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
        _add_to_sums(session.id, fresh)
    return fresh


def _add_to_sums(session_id: int, rows: Sequence[Usage]) -> None:
    costs = [row.cost_nanos for row in rows if row.cost_nanos is not None]
    sql.execute(
        ADD_TO_SUMS,
        session=session_id,
        **{bucket: sum(getattr(row, bucket) for row in rows) for bucket in BUCKETS},
        cost_nanos=sum(costs) if costs else None,
        unpriced=len(rows) - len(costs),
        now=now_millis(),
    )


def to_nanos(cost: Decimal) -> int:
    """Return dollars as whole billionths of a dollar, to the nearest."""
    return int((cost * NANOS).to_integral_value(ROUND_HALF_EVEN))


def to_dollars(nanos: int | None) -> float | None:
    return None if nanos is None else nanos / NANOS
