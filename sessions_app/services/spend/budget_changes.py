"""Making and changing budgets. What is wrong with one names the ``field`` it is in."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from django.db import IntegrityError, transaction

from sessions_app.errors import Conflict, Invalid
from sessions_app.models import Agent, ApiKey, Budget, Session
from sessions_app.services.spend.usage import to_nanos

# Dollars; so that sums of nano-dollars near it fit 64 bits.
HIGHEST_LIMIT = 1_000_000_000
LONGEST_NAME = 200
LONGEST_NOTE = 10_000

# What changes what has been told: after it, the lines are crossed anew.
AFRESH = {"limit", "period", "warn_at", "active"}


class BudgetExists(Conflict):
    code = "budget_exists"


@transaction.atomic
def create_budget(
    *,
    limit: Decimal,
    agent: Agent | None = None,
    session: Session | None = None,
    key: ApiKey | None = None,
    **fields: Any,
) -> Budget:
    """
    Make a budget of ``limit`` US dollars on an agent, a session with those below it, a
    key, or without them on everything.

    ``fields`` are name, note, period, hard, warn_at and active.

    :raises Invalid: if a field is not to be taken; ``field`` says which
    :raises BudgetExists: if there is one for the same, of the same period and hardness
    """
    if sum(each is not None for each in (agent, session, key)) > 1:
        raise Invalid(
            "agent, session, key: a budget is for one of them, or for everything",
            field="agent",
        )
    budget = Budget(agent=agent, session=session, key=key)
    _set(budget, limit=limit, **fields)
    return _save(budget)


@transaction.atomic
def update_budget(*, budget: Budget, **changes: Any) -> Budget:
    """
    Change a budget's limit, or the ``fields`` of ``create_budget``; not what it covers.

    :raises Invalid, BudgetExists: as ``create_budget``
    """
    _set(budget, **changes)
    if changes.keys() & AFRESH:
        budget.told_day, budget.told_state = None, Budget.State.OK
    return _save(budget)


@transaction.atomic
def delete_budget(*, budget: Budget) -> None:
    budget.delete()


def _set(budget: Budget, **changes: Any) -> None:
    if "limit" in changes:
        budget.limit_nanos = _nanos(changes.pop("limit"))
    for name, value in changes.items():
        setattr(budget, name, value)
    if budget.period not in Budget.Period.values:
        known = ", ".join(Budget.Period.values)
        raise Invalid(f"period: must be one of {known}", field="period")
    if not 1 <= budget.warn_at <= 100:
        raise Invalid("warn_at: must be 1 to 100, per cent", field="warn_at")
    for name, longest in {"name": LONGEST_NAME, "note": LONGEST_NOTE}.items():
        text = getattr(budget, name)
        if len(text) > longest or "\0" in text:
            raise Invalid(f"{name}: must be at most {longest} characters", field=name)


def _nanos(limit: Decimal) -> int:
    try:
        nanos = to_nanos(limit) if limit <= HIGHEST_LIMIT else 0
    except (InvalidOperation, OverflowError):  # NaN, -Infinity
        nanos = 0
    if nanos <= 0:
        raise Invalid(
            f"limit_usd: must be more than 0 and at most {HIGHEST_LIMIT:,}",
            field="limit_usd",
        )
    return nanos


def _save(budget: Budget) -> Budget:
    try:
        with transaction.atomic():
            budget.save()
    except IntegrityError as exc:
        raise BudgetExists(
            "There is a budget for the same already, of this period and hardness",
            field="period",
        ) from exc
    return budget
