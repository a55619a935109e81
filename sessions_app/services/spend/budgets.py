"""
Budgets: what is spent of them, and which of them a call counts to.

What is spent is read from the ledger's sums, never from the ledger itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import QuerySet
from django.utils.timezone import now

from sessions_app import sql
from sessions_app.models import Agent, Budget, Session
from sessions_app.periods import Span, moment_of, span_of
from sessions_app.services.spend.usage import NANOS
from sessions_app.sql import budgets as queries
from sessions_app.times import isoformat

State = Budget.State

# What ``budgets_for`` reads.
READ = (
    "id", "agent_id", "session_id", "key_id", "period", "limit_nanos", "hard", "warn_at"
)  # fmt: skip

# From the best to the worst.
STATES = (State.OK, State.WARNING, State.OVER)


@dataclass(frozen=True, slots=True)
class Standing:
    """
    How a budget stands in its present period.

    ``unpriced`` calls of the period have no known cost: they are in ``spent`` with
    nothing, so that the truth may be worse.
    """

    budget: Budget
    span: Span
    spent: int
    unpriced: int

    @property
    def left(self) -> int:
        return max(self.budget.limit_nanos - self.spent, 0)

    @property
    def share(self) -> float:
        return self.spent / self.budget.limit_nanos

    @property
    def state(self) -> Budget.State:
        if self.spent >= self.budget.limit_nanos:
            return State.OVER
        warned = self.spent * 100 >= self.budget.limit_nanos * self.budget.warn_at
        return State.WARNING if warned else State.OK

    @property
    def starts_at(self) -> datetime | None:
        return moment_of(self.span.start)

    @property
    def resets_at(self) -> datetime | None:
        """When the next period begins; None: never."""
        return moment_of(self.span.end)


def state_of(budget: Budget, at: datetime | None = None) -> Standing:
    """Return how a budget stands, at the cost of one query on the ledger's sums."""
    span = span_of(budget.period, at or now())
    query, covered = _query_of(budget)
    spent, unpriced = sql.one(query, covered=covered, start=span.start, end=span.end)
    return Standing(budget, span, int(spent), int(unpriced))


def states_of(budgets: Iterable[Budget]) -> list[Standing]:
    at = now()
    return [state_of(budget, at) for budget in budgets]


def _query_of(budget: Budget) -> tuple[str, int | None]:
    if budget.session_id is not None:
        return queries.OF_SESSION, budget.session_id
    if budget.key_id is not None:
        return queries.OF_KEY, budget.key_id
    if budget.agent_id is not None:
        return queries.OF_AGENT, budget.agent_id
    return queries.OF_EVERYTHING, None


def budgets_for(
    session_id: int, key_id: int | None, *, lock: bool = False
) -> list[Budget]:
    """
    Return the active budgets that a call counts to: those of everything, of the
    session and those above it, of its agent, and of the key it comes with.

    One indexed query, for it is on the path of every turn with usage. It reads no more
    than ``state_of`` needs: take them through ``named`` to show them.
    """
    query = sql.lock(queries.APPLYING, "budget") if lock else queries.APPLYING
    found = sql.rows(query, session=session_id, key=key_id)
    return [Budget.from_db(DEFAULT_DB_ALIAS, READ, row) for row in found]


def named(standings: Sequence[Standing]) -> list[Standing]:
    """Return the same, with all of their budgets read, in one query."""
    if not standings:
        return []
    whole = with_names().in_bulk([standing.budget.id for standing in standings])
    return [
        replace(standing, budget=whole[standing.budget.id])
        for standing in standings
        if standing.budget.id in whole
    ]


def with_names() -> QuerySet[Budget]:
    """Return all budgets, with what it takes to say what they cover."""
    return Budget.objects.select_related("agent", "session__agent", "key__agent")


def budgets_of(agent: Agent | None) -> QuerySet[Budget]:
    """Return the budgets that an agent may see: on itself and what it has; None: all."""
    seen = with_names()
    if agent is None:
        return seen
    return (
        seen.filter(agent=agent)
        | seen.filter(session__agent=agent)
        | seen.filter(key__agent=agent)
    )


def agent_of(budget: Budget) -> Agent | None:
    """Return whose spending a budget limits; None: that of several."""
    if budget.session is not None:
        return budget.session.agent
    return budget.key.agent if budget.key is not None else budget.agent


def worst_of(standings: Sequence[Standing]) -> Budget.State:
    return max((each.state for each in standings), key=STATES.index, default=State.OK)


def describe(standing: Standing) -> dict[str, Any]:
    """Say how a budget stands in plain values, as replies and webhooks carry it."""
    budget = standing.budget
    return {
        "id": budget.id,
        "name": budget.name,
        "covers": covers(budget),
        "period": budget.period,
        "limit_usd": budget.limit_nanos / NANOS,
        "spent_usd": standing.spent / NANOS,
        "left_usd": standing.left / NANOS,
        "state": standing.state.value,
        "hard": budget.hard,
        "resets_at": standing.resets_at and isoformat(standing.resets_at),
    }


def covers(budget: Budget) -> dict[str, str | None]:
    """Say what a budget covers: a kind, its name as callers know it, and whose it is."""
    agent = agent_of(budget)
    kind, name = "everything", None
    if budget.session is not None:
        kind, name = "session", budget.session.key
    elif budget.key is not None:
        kind, name = "key", budget.key.prefix
    elif budget.agent is not None:
        kind, name = "agent", budget.agent.name
    return {"kind": kind, "name": name, "agent": agent.name if agent else None}


def title(budget: Budget) -> str:
    """Return a budget's name, or what says as much: agent support, month."""
    if budget.name:
        return budget.name
    covered = covers(budget)
    words = [covered["kind"], covered["name"]]
    return " ".join(word for word in words if word) + f", {budget.period}"


def session_budgets(session: Session, key_id: int | None = None) -> list[Standing]:
    """Return how all budgets stand that a call in a session counts to."""
    return named(states_of(budgets_for(session.id, key_id)))
