"""What models used: rows of the ledger, and sums over them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import msgspec
from ninja import Query, Router, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.budget_shapes import warnings_of
from sessions_app.api.fields import Filters, When
from sessions_app.api.lookups import get_session, named_agent
from sessions_app.api.pagination import Page, page_of
from sessions_app.api.usage_shapes import (
    UsageAdded,
    UsageGroups,
    UsageIn,
    UsageList,
    UsageTotals,
    counted,
    keyed,
    shape,
    sums_of,
)
from sessions_app.formats.usage import read_providers_usage
from sessions_app.models import Usage
from sessions_app.services.spend import spending
from sessions_app.services.spend.groups import group_usage
from sessions_app.services.spend.sessions import SEEN, session_totals
from sessions_app.services.spend.usage import COUNTS, Tokens

router = Router(tags=["usage"])


class Grouping(Filters):
    group_by: Literal[
        "day", "hour", "model", "agent", "session", "purpose", "key", "provider"
    ] = "day"
    agent: str | None = None
    since: When | None = None
    until: When | None = None
    leave_out_imports: bool = False
    limit: int | None = Field(None, ge=1, le=1000)


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
    row, is_new, budgets = spending.record_usage(
        session=session,
        key_id=request.auth.key_id,
        tokens=_tokens(body),
        cost=None if body.cost_usd is None else Decimal(str(body.cost_usd)),
        message=body.message,
        response_id=body.response_id,
        provider=body.provider,
        model=body.model,
        purpose=body.purpose,
        latency_ms=body.latency_ms,
        raw="" if body.raw is None else msgspec.json.encode(body.raw).decode(),
    )
    session.refresh_from_db()
    totals = {
        "row": shape(row, request.auth),
        "totals": sums_of(session),
        "budgets": warnings_of(budgets),
    }
    return Status(201 if is_new else 200, totals)


def _tokens(body: UsageIn) -> Tokens:
    """Return the buckets that were sent, or those in the provider's own account."""
    if body.raw and body.provider and not body.model_fields_set & set(COUNTS):
        return Tokens(**read_providers_usage(body.provider, body.raw).counts)
    return Tokens(**{name: getattr(body, name) for name in COUNTS})


@router.get(
    "/sessions/{id}/usage", response=UsageList, summary="List a session's usage"
)
def list_usage(request: ApiRequest, id: str, page: Query[Page]) -> dict[str, Any]:
    """The rows of the ledger, the newest first."""
    session = get_session(request, id)
    rows = Usage.objects.filter(session=session).select_related("message", "key")
    shown, following = page_of(rows.defer("message__body"), page, newest_first=True)
    return {"items": [shape(row) for row in shown], "next": following}


@router.get("/usage", response=UsageGroups, summary="Sum up usage")
def sum_usage(request: ApiRequest, grouping: Query[Grouping]) -> dict[str, Any]:
    """
    Sums over the ledger by `group_by`; days and hours are of UTC, and in order.

    `until` is left out of the sums, `since` is in them. With `limit` the dearest groups
    come, and the `rest` as one sum. `leave_out_imports` leaves out what importers found.
    """
    own = request.auth.agent_id
    agent = None
    if own is not None or grouping.agent is not None:
        agent = named_agent(request, grouping.agent)
    found = group_usage(
        by=grouping.group_by,
        agent=agent,
        since=grouping.since,
        until=grouping.until,
        leave_out_imports=grouping.leave_out_imports,
        limit=grouping.limit,
    )
    rest = found.rest and counted(found.rest)
    return {"items": keyed(found.groups), "rest": rest, "next": None}


@router.get(
    "/sessions/{id}/usage/totals",
    response=UsageTotals,
    summary="What a session has cost",
)
def get_totals(request: ApiRequest, id: str, leaf: str | None = None) -> dict[str, Any]:
    """
    Its own sums, those with the sessions below it, of a path and of the whole tree.

    The path is that to `leaf`, or to the head. Abandoned branches were paid for too: they
    are in `own` and in `tree`. By model and by purpose it is the session's own.
    """
    session = get_session(request, id)
    totals = session_totals(session=session, leaf=leaf)
    return {
        **{name: counted(getattr(totals, name)) for name in SEEN},
        "cache_hit_rate": totals.own.cache_hit_rate,
        "by_model": keyed(totals.by_model),
        "by_purpose": keyed(totals.by_purpose),
    }
