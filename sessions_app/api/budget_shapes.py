"""What budgets look like, coming in and going out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import Field

from sessions_app.api.fields import AS_WHOLE, Body, Id, Moment
from sessions_app.services.spend.budget_changes import HIGHEST_LIMIT
from sessions_app.services.spend.budgets import Standing, describe, worst_of
from sessions_app.services.spend.usage import to_dollars

Dollars = Annotated[float, Field(gt=0, le=HIGHEST_LIMIT, allow_inf_nan=False)]
Percent = Annotated[int, Field(ge=1, le=100), AS_WHOLE]
Period = Literal["total", "month", "day"]
State = Literal["ok", "warning", "over"]


class BudgetFields(Body):
    name: str = Field("", max_length=200)
    note: str = Field("", max_length=10_000)
    period: Period = "month"
    hard: bool = Field(
        default=False, description="Refuse turns with usage when it is used up"
    )
    warn_at: Percent = 80
    active: bool = True


class BudgetIn(BudgetFields):
    """Name an agent, a session or a key, or none of them for everything."""

    limit_usd: Dollars
    agent: Id | None = None
    session: Id | None = Field(None, description="With the sessions below it")
    key: Id | None = Field(None, description="The prefix of an API key")


class BudgetPatch(BudgetFields):
    limit_usd: Dollars = Field(1, description="In US dollars")


class Covered(Schema):
    kind: Literal["everything", "agent", "session", "key"]
    name: str | None
    agent: str | None


class BudgetWarning(Schema):
    """A budget that is near its limit, or over it."""

    id: int
    name: str
    covers: Covered
    period: Period
    limit_usd: float
    spent_usd: float
    left_usd: float
    state: State
    hard: bool
    resets_at: str | None


class BudgetOut(BudgetWarning):
    note: str
    warn_at: int
    active: bool
    share: float = Field(description="Of the limit, 1 is all of it")
    unpriced: int = Field(
        description="Calls of the period whose cost is unknown, and not in spent_usd"
    )
    starts_at: Moment | None
    created_at: Moment


class BudgetList(Schema):
    items: list[BudgetOut]
    next: str | None


class SessionBudgets(Schema):
    items: list[BudgetOut]
    left_usd: float | None = Field(description="The least that is left of one of them")
    state: State = Field(description="That of the worst of them")


def warnings_of(standings: Sequence[Standing]) -> list[dict[str, Any]]:
    return [describe(standing) for standing in standings]


def shape(standing: Standing) -> dict[str, Any]:
    budget = standing.budget
    return {
        **describe(standing),
        "note": budget.note,
        "warn_at": budget.warn_at,
        "active": budget.active,
        "share": standing.share,
        "unpriced": standing.unpriced,
        "starts_at": standing.starts_at,
        "created_at": budget.created_at,
    }


def shape_of_all(standings: Sequence[Standing]) -> dict[str, Any]:
    left = min((standing.left for standing in standings), default=None)
    return {
        "items": [shape(standing) for standing in standings],
        "left_usd": to_dollars(left),
        "state": worst_of(standings).value,
    }
