"""Agents: whose memory it is."""

from __future__ import annotations

from typing import Any

from ninja import Query, Router, Schema, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest, KeyAuth, Scope
from sessions_app.api.fields import Body, Count, Id, Metadata, Moment
from sessions_app.api.lookups import named_agent
from sessions_app.api.pagination import Page, page_of
from sessions_app.errors import Forbidden
from sessions_app.models import Agent
from sessions_app.services.registry import agents

router = Router(tags=["agents"])
admin = KeyAuth(Scope.ADMIN)


class AgentIn(Body):
    name: Id
    description: str = Field("", max_length=10_000)
    compact_after: Count | None = None
    metadata: Metadata = {}


class AgentPatch(Body):
    description: str = Field("", max_length=10_000)
    compact_after: Count | None = None
    metadata: Metadata = {}


class AgentOut(Schema):
    name: str
    description: str
    compact_after: int | None
    metadata: Metadata
    created_at: Moment


class AgentList(Schema):
    items: list[AgentOut]
    next: str | None


@router.get("", response=AgentList, summary="List the agents")
def list_agents(request: ApiRequest, page: Query[Page]) -> dict[str, Any]:
    """The agents that the key may see, the oldest first."""
    seen = Agent.objects.all()
    if request.auth.agent_id is not None:
        seen = seen.filter(id=request.auth.agent_id)
    shown, following = page_of(seen, page)
    return {"items": shown, "next": following}


@router.post("", response={201: AgentOut}, auth=admin, summary="Make an agent")
def make_agent(request: ApiRequest, body: AgentIn) -> Status[Agent]:
    """Needs an admin key for all agents. A name that is taken: 409 `agent_exists`."""
    if request.auth.agent_id is not None:
        raise Forbidden("This needs a key for all agents")
    return Status(201, agents.create_agent(**body.model_dump()))


@router.get("/{agent}", response=AgentOut, summary="Read an agent")
def read_agent(request: ApiRequest, agent: str) -> Agent:
    """What is known of it, and how its sessions are compacted."""
    return named_agent(request, agent)


@router.patch("/{agent}", response=AgentOut, auth=admin, summary="Change an agent")
def patch_agent(request: ApiRequest, agent: str, body: AgentPatch) -> Agent:
    """Change the fields that are given."""
    found = named_agent(request, agent)
    return agents.update_agent(agent=found, **body.model_dump(exclude_unset=True))


@router.delete("/{agent}", response={204: None}, auth=admin, summary="Delete an agent")
def delete_agent(request: ApiRequest, agent: str) -> Status[None]:
    """Delete it with its sessions, its keys and its usage. There is no way back."""
    agents.delete_agent(agent=named_agent(request, agent))
    return Status(204, None)
