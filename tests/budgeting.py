"""Spending and limiting it, for tests of budgets."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sessions_app.models import ApiKey, Budget, Session, Usage
from sessions_app.services.spend.budget_changes import create_budget
from sessions_app.services.spend.budgets import Standing, state_of
from sessions_app.services.spend.spending import record_usage
from sessions_app.services.spend.usage import Tokens


def limit(dollars: str, **fields: Any) -> Budget:
    return create_budget(limit=Decimal(dollars), **fields)


def spend(
    session: Session,
    dollars: str | None,
    *,
    key: ApiKey | None = None,
    **fields: Any,
) -> tuple[Usage, list[Standing]]:
    """Record a call that cost so much, or of unknown cost."""
    row, _, budgets = record_usage(
        session=session,
        key_id=key.id if key else None,
        tokens=Tokens(input_tokens=1),
        cost=None if dollars is None else Decimal(dollars),
        **fields,
    )
    return row, budgets


def spent(budget: Budget) -> float:
    """Return what was spent of a budget, in dollars."""
    return state_of(budget).spent / 1e9
