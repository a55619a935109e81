"""Compactions: summaries over stretches of a path, to be switched, mended, removed."""

from __future__ import annotations

from typing import Any, Literal

from ninja import Query, Router, Schema, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Body, Id, Moment
from sessions_app.api.lookups import get_session
from sessions_app.api.pagination import Page, page_of
from sessions_app.models import Compaction
from sessions_app.services.compaction import overlays
from sessions_app.services.spend.usage import to_dollars

router = Router(tags=["compactions"])

State = Literal["active", "disabled"]


class CompactionIn(Body):
    summary: str = Field(min_length=1)
    from_: Id = Field(alias="from")
    to: Id
    planned_at: Id | None = None


class CompactionPatch(Body):
    state: State | None = None
    summary: str | None = Field(None, min_length=1)


class CompactionOut(Schema):
    id: str
    from_: str = Field(alias="from")
    to: str
    count: int
    summary: str
    state: State
    tokens_before: int
    tokens_after: int
    method: str
    model: str
    cost_usd: float | None
    created_by: str
    created_at: Moment


class CompactionList(Schema):
    items: list[CompactionOut]
    next: str | None


def shape(compaction: Compaction) -> dict[str, Any]:
    first, last = compaction.first, compaction.last
    return {
        "id": compaction.uid,
        "from": first.uid,
        "to": last.uid,
        "count": last.depth - first.depth + 1,
        "summary": compaction.summary,
        "state": compaction.state,
        "tokens_before": compaction.tokens_before,
        "tokens_after": compaction.tokens_after,
        "method": compaction.method,
        "model": compaction.model,
        "cost_usd": to_dollars(compaction.cost_nanos),
        "created_by": compaction.created_by,
        "created_at": compaction.created_at,
    }


@router.post(
    "/{id}/compactions",
    response={201: CompactionOut},
    by_alias=True,
    summary="Add a compaction",
)
def post_compaction(
    request: ApiRequest,
    id: str,
    body: CompactionIn,
) -> Status[dict[str, Any]]:
    """
    Cover the messages from `from` to `to`, both included, with a summary.

    Nothing is deleted. The id of an older summary, `compaction_...`, stands for what it
    covers. A range may hold older compactions, but not overlap with one in
    part or lie inside it (409 `compaction_overlap`).
    """
    compaction = overlays.add_compaction(
        session=get_session(request, id),
        summary=body.summary,
        first=body.from_,
        last=body.to,
        planned_at=body.planned_at,
        created_by=f"key {request.auth.prefix}",
    )
    return Status(201, shape(compaction))


@router.get(
    "/{id}/compactions",
    response=CompactionList,
    by_alias=True,
    summary="List the compactions",
)
def list_compactions(request: ApiRequest, id: str, page: Query[Page]) -> dict[str, Any]:
    """All of the session's, the oldest first, disabled ones too."""
    session = get_session(request, id)
    rows = Compaction.objects.filter(session=session).select_related("first", "last")
    shown, following = page_of(rows.defer("first__body", "last__body"), page)
    return {"items": [shape(row) for row in shown], "next": following}


@router.patch(
    "/{id}/compactions/{cid}",
    response=CompactionOut,
    by_alias=True,
    summary="Change a compaction",
)
def patch_compaction(
    request: ApiRequest,
    id: str,
    cid: str,
    body: CompactionPatch,
) -> dict[str, Any]:
    """Disable it, enable it again, or rewrite its summary."""
    compaction = overlays.update_compaction(
        session=get_session(request, id),
        uid=cid,
        state=body.state,
        summary=body.summary,
    )
    return shape(compaction)


@router.delete(
    "/{id}/compactions/{cid}", response={204: None}, summary="Delete a compaction"
)
def delete_compaction(request: ApiRequest, id: str, cid: str) -> Status[None]:
    """Take it away: what it covered is seen again."""
    overlays.delete_compaction(session=get_session(request, id), uid=cid)
    return Status(204, None)
