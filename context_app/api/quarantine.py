"""Writes that look like prompt injection, for an operator to decide on."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from ninja import Query, Router
from pydantic import Field

from context_app.api.holders import author_of
from context_app.api.shapes import HeldList, HeldOut, held_shape
from context_app.models import HeldWrite
from context_app.services import deciding
from context_app.services.quarantine import held_writes_of
from sessions_app.api.auth import ApiRequest, KeyAuth, Scope
from sessions_app.api.lookups import named_agent
from sessions_app.api.pagination import Page, page_of
from sessions_app.errors import NotFound

router = Router(tags=["context"])
Number = Annotated[int, Field(ge=0, le=2**63 - 1)]
admin = KeyAuth(Scope.ADMIN)


class HeldFilters(Page):
    state: Literal["held", "approved", "rejected", "all"] = "held"
    agent: str | None = None


@router.get("", response=HeldList, summary="List held writes")
def list_held(request: ApiRequest, filters: Query[HeldFilters]) -> dict[str, Any]:
    """Of the agent and its sessions, the oldest first; `state` says which."""
    named = filters.agent is not None or request.auth.agent_id is not None
    agent = named_agent(request, filters.agent) if named else None
    found = held_writes_of(agent.pk if agent else None)
    if filters.state != "all":
        found = found.filter(state=filters.state)
    shown, following = page_of(found, filters)
    return {"items": [held_shape(each) for each in shown], "next": following}


@router.post("/{held}/approve", response=HeldOut, auth=admin, summary="Approve a write")
def approve(request: ApiRequest, held: Number) -> dict[str, Any]:
    """Carry it out now, as it was asked for. A second decision: 409 `already_decided`."""
    operator = author_of(request, is_operator=True)
    found = _held(request, held)
    return held_shape(deciding.approve(held=found, operator=operator))


@router.post("/{held}/reject", response=HeldOut, auth=admin, summary="Reject a write")
def reject(request: ApiRequest, held: Number) -> dict[str, Any]:
    """Leave it out for good. A second decision: 409 `already_decided`."""
    operator = author_of(request, is_operator=True)
    found = _held(request, held)
    return held_shape(deciding.reject(held=found, operator=operator))


def _held(request: ApiRequest, held: int) -> HeldWrite:
    found = held_writes_of(request.auth.agent_id).filter(pk=held).first()
    if found is None:
        raise NotFound(f"No held write {held}")
    return found
