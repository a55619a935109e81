from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils.timezone import now

from sessions_app.errors import Invalid
from sessions_app.models import Usage
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.keys import create_key
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.spend.budget_changes import (
    BudgetExists,
    delete_budget,
    update_budget,
)
from sessions_app.services.spend.budgets import budgets_for, budgets_of, state_of, title
from sessions_app.services.spend.usage import add_usage_rows
from tests.budgeting import limit, spend, spent
from tests.builders import talk


@pytest.fixture
def other(stranger):
    return create_session(agent=stranger, key="other")


def test_it_works(session):
    budget = limit("10", name="All", hard=True)

    spend(session, "2.5")
    standing = state_of(budget)

    assert (standing.spent, standing.left) == (2_500_000_000, 7_500_000_000)
    assert (standing.share, standing.state, standing.unpriced) == (0.25, "ok", 0)
    assert standing.starts_at
    assert standing.resets_at
    assert standing.starts_at <= now() < standing.resets_at
    assert standing.starts_at.day == standing.resets_at.day == 1


@pytest.mark.parametrize(
    ("dollars", "state"),
    [("7.99", "ok"), ("8", "warning"), ("9.999999999", "warning"), ("10", "over")],
)
def test_its_state_follows_from_what_is_spent(session, dollars, state):
    budget = limit("10")

    spend(session, dollars)

    assert state_of(budget).state == state


def test_each_covers_what_it_says(agent, session, stranger, other):
    key, _ = create_key(agent=agent)
    everything, of_agent = limit("9"), limit("9", agent=agent)
    of_session, of_key = limit("9", session=session), limit("9", key=key)

    spend(session, "1")
    spend(session, "0.5", key=key)
    spend(other, "2")

    assert spent(everything) == 3.5
    assert spent(of_agent) == 1.5
    assert spent(of_session) == 1.5
    assert spent(of_key) == 0.5
    assert budgets_for(session.id, None) == [everything, of_agent, of_session]
    assert budgets_for(session.id, key.id) == [everything, of_agent, of_session, of_key]
    assert budgets_for(other.id, None) == [everything]


@pytest.mark.parametrize("period", ["total", "month", "day"])
def test_a_session_counts_those_below_it(agent, session, period):
    talk(session, "a b")
    fork = fork_session(session=session, at="a", key="fork")
    below = create_session(agent=agent, key="below", parent_session=fork)
    beside = create_session(agent=agent, key="beside")
    budget = limit("9", session=session, period=period)
    of_fork = limit("9", session=fork, period=period)

    spend(session, "1")
    spend(fork, "0.25")
    spend(below, "0.125")
    spend(beside, "4")

    assert spent(budget) == 1.375
    assert spent(of_fork) == 0.375
    assert budgets_for(below.id, None) == [budget, of_fork]
    assert budgets_for(beside.id, None) == []


def test_only_the_present_period_counts(session):
    by_day, by_month = limit("9", period="day"), limit("9", period="month")
    total = limit("9", period="total")
    of_session = limit("9", period="day", session=session)

    spend(session, "1")
    spend(session, "2", created_at=now() - timedelta(days=40))

    assert (spent(by_day), spent(by_month), spent(total)) == (1, 1, 3)
    assert spent(of_session) == 1
    assert state_of(by_day, now() + timedelta(days=1)).spent == 0
    assert state_of(by_month, now() - timedelta(days=40)).spent == 2_000_000_000


def test_an_unknown_cost_is_told_and_not_nothing(session):
    budget = limit("1", period="total")

    spend(session, None, model="nobody-knows")
    spend(session, "0.1")

    assert state_of(budget).unpriced == 1
    assert spent(budget) == 0.1
    assert state_of(limit("1", session=session)).unpriced == 1


def test_what_is_imported_was_spent_elsewhere(session):
    budgets = [limit("1", period="total"), limit("1", session=session)]
    row = Usage(
        agent=session.agent, session=session, purpose="import", cost_nanos=10**9
    )

    add_usage_rows(session=session, rows=[row])

    assert [spent(budget) for budget in budgets] == [0, 0]


def test_what_a_deleted_session_spent_stays_spent(agent, session):
    budget = limit("9", agent=agent)
    limit("9", session=session)
    spend(session, "1")

    delete_session(session=session)

    assert spent(budget) == 1
    assert list(budgets_of(None)) == [budget]


def test_one_that_is_off_does_not_apply(session):
    budget = limit("1", active=False)

    assert budgets_for(session.id, None) == []

    update_budget(budget=budget, active=True)
    assert budgets_for(session.id, None) == [budget]


def test_an_agent_sees_its_own(agent, session, stranger, other):
    key, _ = create_key(agent=agent)
    limit("1")
    of_agent, of_session = limit("1", agent=agent), limit("1", session=session)
    of_key = limit("1", key=key)
    limit("1", agent=stranger)
    limit("1", session=other)

    assert list(budgets_of(agent).order_by("id")) == [of_agent, of_session, of_key]
    assert budgets_of(None).count() == 6


def test_a_title_says_what_it_is(agent):
    assert title(limit("1", name="Rent")) == "Rent"
    assert title(limit("1", hard=True)) == "everything, month"
    assert title(limit("1", agent=agent, period="day")) == "agent support, day"


def test_there_is_one_of_a_kind(agent, session):
    limit("1", agent=agent, period="day")
    limit("1", agent=agent, period="month")
    limit("1", agent=agent, period="day", hard=True)
    limit("1", period="day")

    with pytest.raises(BudgetExists) as refusal:
        limit("2", agent=agent, period="day")

    assert refusal.value.details == {"field": "period"}


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"limit": Decimal(0)}, "limit_usd"),
        ({"limit": Decimal("-1")}, "limit_usd"),
        ({"limit": Decimal("NaN")}, "limit_usd"),
        ({"limit": Decimal("Infinity")}, "limit_usd"),
        ({"limit": Decimal("1e-10")}, "limit_usd"),
        ({"limit": Decimal("1000000001")}, "limit_usd"),
        ({"period": "week"}, "period"),
        ({"warn_at": 0}, "warn_at"),
        ({"warn_at": 101}, "warn_at"),
        ({"name": "x" * 201}, "name"),
        ({"note": "\0"}, "note"),
    ],
)
def test_what_is_wrong_names_its_field(db, fields, field):
    budget = limit("1")

    with pytest.raises(Invalid) as refusal:
        update_budget(budget=budget, **fields)

    assert refusal.value.details["field"] == field
    budget.refresh_from_db()
    assert (budget.limit_nanos, budget.period, budget.warn_at) == (10**9, "month", 80)


def test_it_is_for_one_thing(agent, session):
    with pytest.raises(Invalid) as refusal:
        limit("1", agent=agent, session=session)

    assert refusal.value.details["field"] == "agent"


def test_delete(session):
    delete_budget(budget=limit("1"))

    assert budgets_for(session.id, None) == []


@pytest.mark.parametrize("others", [0, 50])
def test_where_none_applies_it_is_one_query(
    agent, session, django_assert_num_queries, others
):
    for number in range(others):
        limit("1", session=create_session(agent=agent, key=f"s{number}"))

    with django_assert_num_queries(1):
        assert budgets_for(session.id, 7) == []
