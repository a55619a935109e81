"""The ledger of what models used. Triggers keep the sums over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from django.db import DEFAULT_DB_ALIAS, transaction
from django.utils.timezone import now

from sessions_app import sql
from sessions_app.models import Message, Session, Usage
from sessions_app.models.fields import now_millis, to_millis
from sessions_app.services.forest.finding import Tree, get_found
from sessions_app.services.forest.locking import lock_session, lock_session_row
from sessions_app.services.prices import set_cost
from sessions_app.services.prices.repricing import order_in_ledger

NANOS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """Disjoint buckets: ``input_tokens`` were neither read from nor written to a cache."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    # A part of what was written to a cache.
    cache_write_1h_tokens: int = 0


COUNTS = tuple(field.name for field in fields(Tokens))
BUCKETS = COUNTS[:5]


# What a row has where nothing is said, in the order of its fields.
DEFAULTS = {field.attname: field.get_default() for field in Usage._meta.concrete_fields}

COLUMNS = (
    "session_id",
    "key_id",
    "provider",
    "model",
    "purpose",
    *COUNTS,
    "cost_nanos",
    "cost_source",
    "computed_nanos",
    "price_snapshot",
    "latency_ms",
    "response_id",
    "raw",
)

INSERT = """
INSERT INTO sessions_app_usage (
    agent_id, session_id, message_id, key_id, provider, model, purpose, input_tokens,
    output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens,
    cache_write_1h_tokens, cost_nanos, cost_source, computed_nanos, price_snapshot,
    latency_ms, response_id, raw, created_at
)
SELECT
    session.agent_id, session.id, (
        SELECT message.id
        FROM sessions_app_message message
        WHERE message.session_id = session.id
            AND message.uid = CAST(%(message)s AS varchar)
    ),
    CAST(%(key_id)s AS bigint), %(provider)s, %(model)s, %(purpose)s, %(input_tokens)s,
    %(output_tokens)s, %(cache_read_tokens)s, %(cache_write_tokens)s,
    %(reasoning_tokens)s, %(cache_write_1h_tokens)s, CAST(%(cost_nanos)s AS bigint),
    %(cost_source)s, CAST(%(computed_nanos)s AS bigint), %(price_snapshot)s,
    CAST(%(latency_ms)s AS bigint), CAST(%(response_id)s AS varchar), %(raw)s,
    %(created_at)s
FROM sessions_app_session session
WHERE session.id = %(session_id)s
ON CONFLICT DO NOTHING
RETURNING id, agent_id, message_id
"""

INHERITED = """
UPDATE sessions_app_usage SET message_id = %(message)s WHERE id = %(usage)s
"""

# Parameters: session, response_id.
KNOWN = """
SELECT id FROM sessions_app_usage
WHERE session_id = %(session)s AND response_id = %(response_id)s
"""

TOUCH = "UPDATE sessions_app_session SET updated_at = %(now)s WHERE id = %(session)s"


@transaction.atomic
def add_usage(*, session: Tree, **call: Any) -> tuple[Usage, bool]:
    """
    Add a row to the ledger as ``write_usage`` does, alone.

    :raises NotFound: if the session has gone, or sees no message of the id ``message``
    """
    lock_session_row(session.id)
    row, is_new = write_usage(session=session, **call)
    if is_new:
        sql.execute(TOUCH, session=session.id, now=now_millis())
    return row, is_new


def write_usage(
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

    For a transaction that holds the session's lock and writes to it. A response that the
    session has counted before changes nothing. ``cost`` is in US dollars: that of the
    caller counts, and without one what our prices say. ``details`` are fields of the row:
    key_id, provider, model, purpose, latency_ms, raw, created_at.

    :raises NotFound: if the session sees no message of the id ``message``
    """
    given: dict[str, Any] = {
        **DEFAULTS,
        "created_at": now(),
        "session_id": session.id,
        "response_id": response_id,
        "cost_nanos": None if cost is None else to_nanos(cost),
        **{name: getattr(tokens, name) for name in COUNTS},
        **details,
    }
    # By their places they are set three times as fast as by their names.
    row = Usage(*given.values())  # type: ignore[misc]
    set_cost(row)
    values = {name: getattr(row, name) for name in COLUMNS}
    created_at = to_millis(row.created_at)
    # One statement finds the message and whether the response is known, and writes.
    written = sql.first(INSERT, **values, message=message, created_at=created_at)
    if written is None:
        known = sql.one(KNOWN, session=session.id, response_id=response_id)
        return Usage.objects.get(id=known[0]), False
    row.pk, row.agent_id, own = written
    if message is not None:
        own = own or _inherited(session, row.pk, message)
        row.message = Message.from_db(DEFAULT_DB_ALIAS, ["id", "uid"], [own, message])
    return row, True


def _inherited(session: Tree, usage: int, message: str) -> int:
    """Set the message of a row to one that belongs to another session."""
    found = get_found(session, message)
    sql.execute(INHERITED, usage=usage, message=found.id)
    return found.id


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
    for row in fresh:
        set_cost(row)
    if fresh:
        Usage.objects.bulk_create(sorted(fresh, key=order_in_ledger))
        sql.execute(TOUCH, session=session.id, now=now_millis())
    return fresh


def to_nanos(cost: Decimal) -> int:
    """Return dollars as whole billionths of a dollar, to the nearest."""
    return int((cost * NANOS).to_integral_value(ROUND_HALF_EVEN))


def to_dollars(nanos: int | None) -> float | None:
    return None if nanos is None else nanos / NANOS
