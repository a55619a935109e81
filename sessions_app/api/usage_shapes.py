"""What usage looks like, coming in and going out."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from ninja import Schema
from pydantic import Field

from sessions_app.api.fields import Body, Id, Moment, Whole, Word
from sessions_app.models import Session, Usage
from sessions_app.services.usage import BUCKETS, to_dollars

# Of one call; so that the sums over millions of calls fit 64 bits.
TokenCount = Annotated[Whole, Field(ge=0, le=10**12)]


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


class UsageIn(Body):
    input_tokens: TokenCount = 0
    output_tokens: TokenCount = 0
    cache_read_tokens: TokenCount = 0
    cache_write_tokens: TokenCount = 0
    reasoning_tokens: TokenCount = 0
    model: Word = ""
    provider: Annotated[str, Field(max_length=100)] = ""
    purpose: Annotated[str, Field(min_length=1, max_length=50)] = "chat"
    cost_usd: Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)] | None = (
        None
    )
    response_id: Id | None = None
    message: Id | None = None
    raw: dict[str, Any] | None = None


class UsageRow(Schema):
    id: int
    message: str | None
    provider: str
    model: str
    purpose: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    reasoning_tokens: int
    cost_usd: float | None
    response_id: str | None
    raw: Any
    created_at: Moment


class UsageAdded(Schema):
    row: UsageRow
    totals: UsageSums


class UsageList(Schema):
    items: list[UsageRow]
    next: str | None


class UsageGroup(UsageSums):
    key: str | None


class UsageGroups(Schema):
    items: list[UsageGroup]
    next: str | None


def sums_of(session: Session) -> dict[str, Any]:
    return {
        **{bucket: getattr(session, bucket) for bucket in BUCKETS},
        "cost_usd": to_dollars(session.cost_nanos),
        "unpriced": session.unpriced,
    }


def shape(row: Usage) -> dict[str, Any]:
    return {
        "id": row.id,
        "message": row.message and row.message.uid,
        "provider": row.provider,
        "model": row.model,
        "purpose": row.purpose,
        **{bucket: getattr(row, bucket) for bucket in BUCKETS},
        "cost_usd": to_dollars(row.cost_nanos),
        "response_id": row.response_id,
        "raw": msgspec.json.decode(row.raw) if row.raw else None,
        "created_at": row.created_at,
    }
