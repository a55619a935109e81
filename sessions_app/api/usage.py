"""What models used: rows of the ledger, and sums over them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import msgspec
from ninja import Query, Router, Schema, Status

from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import When
from sessions_app.api.lookups import get_session, named_agent
from sessions_app.api.pagination import Page, page_of
from sessions_app.api.usage_shapes import (
    UsageAdded,
    UsageGroups,
    UsageIn,
    UsageList,
    shape,
    sums_of,
)
from sessions_app.formats.usage import read_providers_usage
from sessions_app.models import Usage
from sessions_app.services.spend import group_usage
from sessions_app.services.usage import BUCKETS, Tokens, add_usage, to_dollars

router = Router(tags=["usage"])


class Grouping(Schema):
    group_by: Literal["day", "model", "agent", "session", "purpose"] = "day"
    agent: str | None = None
    since: When | None = None
    until: When | None = None


@router.post(
    "/sessions/{id}/usage",
    response={200: UsageAdded, 201: UsageAdded},
    summary="Record usage",
)
def record_usage(request: ApiRequest, id: str, body: UsageIn) -> Status[dict[str, Any]]:
    """
    Add what a model call used to the ledger and to the session's sums.

    The buckets are disjoint: `input_tokens` were neither read from nor written to a
    cache. Or send the provider's own usage object as `raw`, with `provider`, and it is
    taken apart. A `response_id` that the session has had before counts nothing (200).
    Leave `cost_usd` out where it is not known: it counts as unpriced, never as 0.
    """
    session = get_session(request, id)
    row, is_new = add_usage(
        session=session,
        tokens=_tokens(body),
        cost=None if body.cost_usd is None else Decimal(str(body.cost_usd)),
        message=body.message,
        response_id=body.response_id,
        provider=body.provider,
        model=body.model,
        purpose=body.purpose,
        raw="" if body.raw is None else msgspec.json.encode(body.raw).decode(),
    )
    session.refresh_from_db()
    totals = {"row": shape(row), "totals": sums_of(session)}
    return Status(201 if is_new else 200, totals)


def _tokens(body: UsageIn) -> Tokens:
    """Return the buckets that were sent, or those in the provider's own account."""
    if body.raw and body.provider and not body.model_fields_set & set(BUCKETS):
        return Tokens(**read_providers_usage(body.provider, body.raw).tokens)
    return Tokens(**{bucket: getattr(body, bucket) for bucket in BUCKETS})


@router.get(
    "/sessions/{id}/usage", response=UsageList, summary="List a session's usage"
)
def list_usage(request: ApiRequest, id: str, page: Query[Page]) -> dict[str, Any]:
    """The rows of the ledger, the newest first."""
    session = get_session(request, id)
    rows = Usage.objects.filter(session=session).select_related("message")
    shown, following = page_of(rows.defer("message__body"), page, newest_first=True)
    return {"items": [shape(row) for row in shown], "next": following}


@router.get("/usage", response=UsageGroups, summary="Sum up usage")
def sum_usage(request: ApiRequest, grouping: Query[Grouping]) -> dict[str, Any]:
    """
    Sums over the ledger by `group_by`; days are of UTC, and in order.

    `until` is left out of the sums, `since` is in them.
    """
    own = request.auth.agent_id
    agent = None
    if own is not None or grouping.agent is not None:
        agent = named_agent(request, grouping.agent)
    groups = group_usage(
        agent=agent, by=grouping.group_by, since=grouping.since, until=grouping.until
    )
    items = [
        {**group, "cost_usd": to_dollars(group.pop("cost_nanos"))} for group in groups
    ]
    return {"items": items, "next": None}
