"""How an agent's memory is written and shown."""

from __future__ import annotations

from typing import Annotated, Literal

from ninja import Router, Schema
from pydantic import Field

from context_app.models import AgentPolicy
from context_app.services.policies import policy_of, set_policy
from sessions_app.api.auth import ApiRequest, KeyAuth, Scope
from sessions_app.api.fields import Body
from sessions_app.api.lookups import named_agent

router = Router(tags=["context"])

Scan = Literal["off", "flag", "quarantine"]
Strategy = Literal["simple", "sliding_window", "token_window", "summarizing"]


class PolicyPatch(Body):
    scan: Scan = "flag"
    usage_in_headers: bool = True
    session_search: bool = False
    strategy: Strategy = "simple"
    strategy_size: Annotated[int, Field(ge=1, le=10**9)] | None = None


class PolicyOut(Schema):
    scan: Scan
    usage_in_headers: bool
    session_search: bool
    strategy: str
    strategy_size: int | None


@router.get("/{agent}/policy", response=PolicyOut, summary="Read an agent's policy")
def read_policy(request: ApiRequest, agent: str) -> AgentPolicy:
    """What happens to suspicious writes, and what prompts and tools show."""
    return policy_of(named_agent(request, agent).pk)


@router.patch(
    "/{agent}/policy",
    response=PolicyOut,
    auth=KeyAuth(Scope.ADMIN),
    summary="Change an agent's policy",
)
def patch_policy(request: ApiRequest, agent: str, body: PolicyPatch) -> AgentPolicy:
    """
    Change the fields that are given. `scan`: `off`, `flag` (a suspicious write is done
    and marked) or `quarantine` (it is kept apart until an operator approves it).
    """
    found = named_agent(request, agent)
    return set_policy(agent=found, **body.model_dump(exclude_unset=True))
