"""What agents have and did, in a query for each table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, Sum
from django.utils.timezone import now

from sessions_app.models import Agent, ApiKey, Session, Usage, UsageDay


@dataclass(slots=True)
class AgentSums:
    """``cost_nanos`` is None where no call was priced; ``keys`` are those that work."""

    agent: Agent
    sessions: int = 0
    messages: int = 0
    active_at: datetime | None = None
    cost_nanos: int | None = None
    unpriced: int = 0
    calls: int = 0
    keys: int = 0


def sums_of(agents: Sequence[Agent]) -> list[AgentSums]:
    """Return the sums of agents, in their order."""
    ids = [agent.pk for agent in agents]
    sums = {agent.pk: AgentSums(agent) for agent in agents}
    sessions = Session.objects.filter(agent__in=ids).values_list("agent")
    for pk, count, messages, latest in sessions.annotate(
        Count("id"), Sum("message_count"), Max("updated_at")
    ).order_by():
        each = sums[pk]
        each.sessions, each.messages, each.active_at = count, messages, latest
    days = UsageDay.objects.filter(agent__in=ids).values_list("agent")
    for pk, calls, unpriced, cost in days.annotate(
        Sum("calls"), Sum("unpriced"), Sum("cost_nanos")
    ).order_by():
        each = sums[pk]
        each.calls, each.unpriced = calls, unpriced
        each.cost_nanos = cost if calls > unpriced else None
    keys = living_keys().filter(agent__in=ids).values_list("agent")
    for pk, count in keys.annotate(Count("id")).order_by():
        sums[pk].keys = count
    return list(sums.values())


def living_keys() -> Any:
    unexpired = Q(expires_at=None) | Q(expires_at__gt=now())
    return ApiKey.objects.filter(unexpired, revoked_at=None)


def count_usage(agent: Agent) -> int:
    """Return how many rows of the ledger go with an agent."""
    return Usage.objects.filter(agent=agent).count()
