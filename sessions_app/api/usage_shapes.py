"""What usage looks like, coming in and going out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from ninja import Schema
from pydantic import BaseModel, Field

from sessions_app.api.auth import Caller
from sessions_app.api.budget_shapes import BudgetWarning
from sessions_app.api.fields import AS_WHOLE, Body, Id, Moment, Word
from sessions_app.models import Session, Usage
from sessions_app.services.spend.groups import Group
from sessions_app.services.spend.sums import Sums
from sessions_app.services.spend.usage import BUCKETS, to_dollars

# Of one call; so that the sums over millions of calls fit 64 bits.
TokenCount = Annotated[int, Field(ge=0, le=10**12), AS_WHOLE]

# Ten days.
Latency = Annotated[int, Field(ge=0, le=864_000_000), AS_WHOLE]


class UsageSums(Schema):
    """
    Sums over the rows of the ledger. The token buckets are disjoint.

    `cost_usd` is null when nothing was priced; `unpriced` counts the rows without a
    price.
    """

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    cost_usd: float | None
    unpriced: int


class UsageFields(BaseModel):
    """
    What is said of a call, apart from ninja: on the path of every turn with usage its
    own schemas, which may be made from objects, would cost seven times as much.
    """

    model_config = Body.model_config

    input_tokens: TokenCount = 0
    output_tokens: TokenCount = 0
    cache_read_tokens: TokenCount = 0
    cache_write_tokens: TokenCount = 0
    reasoning_tokens: TokenCount = 0
    cache_write_1h_tokens: TokenCount = Field(
        0, description="Of the cache write tokens, those written for an hour"
    )
    model: Word = ""
    provider: Annotated[str, Field(max_length=100)] = ""
    purpose: Annotated[str, Field(min_length=1, max_length=50)] = "chat"
    cost_usd: Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)] | None = (
        None
    )
    latency_ms: Latency | None = None
    response_id: Id | None = None
    message: Id | None = None
    raw: dict[str, Any] | None = None


class UsageIn(Body, UsageFields):
    pass


class UsageRow(Schema):
    id: int
    message: str | None
    key: str | None
    provider: str
    model: str
    purpose: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    cache_write_1h_tokens: int
    cost_usd: float | None
    cost_source: Literal["reported", "computed", ""]
    computed_usd: float | None
    latency_ms: int | None
    response_id: str | None
    raw: Any
    created_at: Moment


class UsageAdded(Schema):
    """`budgets` are those in warning or over."""

    row: UsageRow
    totals: UsageSums
    budgets: list[BudgetWarning]


class UsageList(Schema):
    items: list[UsageRow]
    next: str | None


class CountedSums(UsageSums):
    """`cache_hit_rate` is of the prompts' tokens; null where there are none."""

    calls: int
    cache_hit_rate: float | None


class UsageGroup(CountedSums):
    key: str | None


class UsageGroups(Schema):
    """`rest` is the sum of what is beyond `limit`."""

    items: list[UsageGroup]
    rest: CountedSums | None
    next: str | None


class UsageTotals(Schema):
    """
    What a session has cost, seen in four ways.

    `own` is all that was spent in it; `with_sub_sessions` also what was in the sessions
    made from it, and from those; `path` what led to a message; `tree` all branches, in a
    fork with what it shares.
    """

    own: CountedSums
    with_sub_sessions: CountedSums
    path: CountedSums
    tree: CountedSums
    cache_hit_rate: float | None
    by_model: list[UsageGroup]
    by_purpose: list[UsageGroup]


def sums_of(session: Session) -> dict[str, Any]:
    return {
        **{bucket: getattr(session, bucket) for bucket in BUCKETS},
        "cost_usd": to_dollars(session.cost_nanos),
        "unpriced": session.unpriced,
    }


def shape(row: Usage, caller: Caller | None = None) -> dict[str, Any]:
    """Show a row; one that the caller's own key has made is shown without a query."""
    own = caller is not None and row.key_id == caller.key_id
    return {
        "id": row.id,
        "message": row.message and row.message.uid,
        "key": caller.prefix if caller and own else row.key and row.key.prefix,
        "provider": row.provider,
        "model": row.model,
        "purpose": row.purpose,
        **{bucket: getattr(row, bucket) for bucket in BUCKETS},
        "cache_write_1h_tokens": row.cache_write_1h_tokens,
        "cost_usd": to_dollars(row.cost_nanos),
        "cost_source": row.cost_source,
        "computed_usd": to_dollars(row.computed_nanos),
        "latency_ms": row.latency_ms,
        "response_id": row.response_id,
        "raw": msgspec.json.decode(row.raw) if row.raw else None,
        "created_at": row.created_at,
    }


def counted(sums: Sums) -> dict[str, Any]:
    return {
        "calls": sums.calls,
        **{bucket: getattr(sums, bucket) for bucket in BUCKETS},
        "cost_usd": to_dollars(sums.cost_nanos),
        "unpriced": sums.unpriced,
        "cache_hit_rate": sums.cache_hit_rate,
    }


def keyed(groups: Sequence[Group]) -> list[dict[str, Any]]:
    return [{"key": group.key, **counted(group.sums)} for group in groups]
