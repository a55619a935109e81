from __future__ import annotations

from typing import Any

from context_app.models import AgentPolicy
from sessions_app.models import Agent


def policy_of(agent_id: int) -> AgentPolicy:
    """Return an agent's policy; one that was never set has the defaults, and no row."""
    found = AgentPolicy.objects.filter(agent=agent_id).first()
    return found or AgentPolicy(agent_id=agent_id)


def set_policy(*, agent: Agent, **fields: Any) -> AgentPolicy:
    return AgentPolicy.objects.update_or_create(agent=agent, defaults=fields)[0]
