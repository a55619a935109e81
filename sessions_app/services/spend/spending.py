"""
What follows when money was spent: warnings, events, and refusals of more.

Refused are turns, and summaries for which we would ask a model. Messages without usage
cost nothing, and usage that is reported was spent already: to turn it away would only
make the ledger wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from sessions_app.errors import BudgetExceeded
from sessions_app.models import Budget, Usage, Webhook
from sessions_app.services.forest.finding import Tree
from sessions_app.services.spend.budgets import (
    STATES,
    Standing,
    State,
    agent_of,
    budgets_for,
    describe,
    named,
    state_of,
    states_of,
    title,
)
from sessions_app.services.spend.usage import add_usage
from sessions_app.services.webhooks import queue_event

EVENTS = {
    State.WARNING: Webhook.Event.BUDGET_WARNING,
    State.OVER: Webhook.Event.BUDGET_EXCEEDED,
}

WHAT_TO_DO = "Raise the limit or switch the budget off, wait until it resets, or "


@transaction.atomic
def record_usage(
    *, session: Tree, key_id: int | None = None, **usage: Any
) -> tuple[Usage, bool, list[Standing]]:
    """
    Add usage to the ledger as ``add_usage`` does, and see to the budgets.

    :returns: the row, whether it is new, and the budgets in warning or over
    """
    row, is_new = add_usage(session=session, key_id=key_id, **usage)
    return row, is_new, note_spending(session.id, key_id)


def note_spending(session_id: int, key_id: int | None) -> list[Standing]:
    """
    Return the budgets in warning or over, after usage was written.

    What a budget reaches for the first time in a period becomes an event. Call it last
    in the transaction that wrote the usage: on PostgreSQL it keeps other writers of
    these budgets waiting until that ends, so that the one who crosses a line sees it.
    """
    standings = states_of(budgets_for(session_id, key_id, lock=True))
    reached = named([each for each in standings if each.state != State.OK])
    for standing in reached:
        _tell(standing)
    return reached


def _tell(standing: Standing) -> None:
    budget = standing.budget
    is_same_period = budget.told_day == standing.span.start
    told = State(budget.told_state) if is_same_period else State.OK
    if STATES.index(standing.state) <= STATES.index(told):
        return
    budget.told_day, budget.told_state = standing.span.start, standing.state
    budget.save(update_fields=["told_day", "told_state"])
    queue_event(
        EVENTS[standing.state], agent=agent_of(budget), budget=describe(standing)
    )


def used_up(budgets: Iterable[Budget]) -> Standing | None:
    """Return the first of the budgets that is hard and used up."""
    hard = (state_of(budget) for budget in budgets if budget.hard)
    over = next((each for each in hard if each.state == State.OVER), None)
    return next(iter(named([over])), None) if over is not None else None


def refusal(standing: Standing) -> BudgetExceeded:
    """Return the error that says that a budget is used up, and what became of a turn."""
    return _exceeded(
        standing,
        "the usage was recorded, the messages were not",
        "send the messages without usage to POST /sessions/{id}/messages",
    )


def check_may_spend(session_id: int, key_id: int | None) -> None:
    """
    :raises BudgetExceeded: if a hard budget is used up that a call would count to
    """
    over = used_up(budgets_for(session_id, key_id))
    if over is not None:
        raise _exceeded(
            over,
            "no model was asked",
            "name the summarizer `extractive`, which is free",
        )


def _exceeded(standing: Standing, done: str, instead: str) -> BudgetExceeded:
    budget, shown = standing.budget, describe(standing)
    return BudgetExceeded(
        f"The budget {title(budget)!r} of ${shown['limit_usd']:,.2f} is used up "
        f"(${shown['spent_usd']:,.2f}): {done}",
        budget=shown,
        limit_usd=shown["limit_usd"],
        spent_usd=shown["spent_usd"],
        resets_at=shown["resets_at"],
        what_to_do=WHAT_TO_DO + instead,
    )
