"""What follows when money was spent: warnings, and events for webhooks."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.db.models import F
from django.utils.timezone import now

from sessions_app.errors import BudgetExceeded
from sessions_app.models import Budget, Delivery, Job, Message, Session, Usage
from sessions_app.services.compaction.compacting import compact
from sessions_app.services.compaction.summarizers import Call, Summary
from sessions_app.services.forest.creating import create_session
from sessions_app.services.spend.budget_changes import update_budget
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.webhooks import create_webhook, update_webhook
from sessions_app.services.writing.turns import Spent, add_turn
from tests.budgeting import limit, spend
from tests.builders import append, draft, fresh
from tests.sessions_app.services.forest.test_locking import race

URL = "http://127.0.0.1:9/hook"
WRITERS = 8


@pytest.fixture
def webhook(db):
    return create_webhook(agent=None, url=URL)


def events():
    return list(Delivery.objects.order_by("id").values_list("event", flat=True))


def test_a_warning_is_told_once(session, webhook):
    limit("10", name="All")

    _, quiet = spend(session, "7")
    _, first = spend(session, "1")
    _, second = spend(session, "1")

    assert quiet == []
    assert [each.state for each in (*first, *second)] == ["warning", "warning"]
    assert events() == ["budget.warning"]
    payload = json.loads(Delivery.objects.get().payload)
    assert payload["event"] == "budget.warning"
    assert payload["budget"] | {"id": 0, "resets_at": ""} == {
        "id": 0,
        "name": "All",
        "covers": {"kind": "everything", "name": None, "agent": None},
        "period": "month",
        "limit_usd": 10.0,
        "spent_usd": 8.0,
        "left_usd": 2.0,
        "state": "warning",
        "hard": False,
        "resets_at": "",
    }


def test_both_lines_are_told_of(session, webhook):
    limit("10")

    for _ in range(4):
        spend(session, "4")

    assert events() == ["budget.warning", "budget.exceeded"]
    assert Job.objects.filter(name="send_delivery").count() == 2


def test_a_leap_over_both_is_one_event(session, webhook):
    limit("10")

    spend(session, "11")
    spend(session, "1")

    assert events() == ["budget.exceeded"]


def test_each_period_is_told_of(session, webhook):
    limit("10", period="day")
    spend(session, "11")
    Budget.objects.update(told_day=F("told_day") - 1)

    spend(session, "1")

    assert events() == ["budget.exceeded"] * 2


def test_a_new_limit_is_told_of_anew(session, webhook):
    budget = limit("10")
    spend(session, "11")
    budget.refresh_from_db()

    update_budget(budget=budget, limit=Decimal(20))
    spend(session, "1")
    spend(session, "9")
    budget.refresh_from_db()
    update_budget(budget=budget, name="Other")
    spend(session, "9")

    assert events() == ["budget.exceeded"] * 2


def test_nothing_is_told_of_what_is_undone(session, webhook):
    limit("10")

    with transaction.atomic():
        spend(session, "11")
        transaction.set_rollback(True)

    assert events() == []
    assert not Job.objects.exists()
    spend(session, "11")
    assert events() == ["budget.exceeded"]


def test_who_is_told(agent, stranger, session):
    of_all = create_webhook(agent=None, url=URL)
    of_agent = create_webhook(agent=agent, url=URL)
    create_webhook(agent=stranger, url=URL)
    create_webhook(agent=agent, url=URL, events=["budget.warning"])
    update_webhook(webhook=create_webhook(agent=None, url=URL), active=False)
    limit("1", agent=agent)

    spend(session, "1")

    told = Delivery.objects.order_by("id").values_list("webhook", flat=True)
    assert list(told) == [of_all.id, of_agent.id]


def test_a_budget_of_everything_is_told_to_no_agent(agent, session):
    create_webhook(agent=agent, url=URL)
    of_all = create_webhook(agent=None, url=URL)
    limit("1")

    spend(session, "1")

    assert Delivery.objects.get().webhook == of_all


def test_a_response_that_was_counted_still_warns(session):
    limit("1")

    _, first = spend(session, "1", response_id="r")
    row, again = spend(session, "1", response_id="r")

    assert first[0].spent == again[0].spent == 10**9


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hard", [True, False])
def test_of_many_who_cross_a_line_one_tells(agent, webhook, hard):
    limit("2", agent=agent, hard=hard, warn_at=50)
    sessions = [create_session(agent=agent, key=f"s{n}") for n in range(WRITERS)]

    race(
        *(
            # A model each, so that they write to different rows of the sums.
            lambda session=session: [
                spend(session, "0.05", model=session.key) for _ in range(10)
            ]
            for session in sessions
        )
    )

    assert events() == ["budget.warning", "budget.exceeded"]
    assert Budget.objects.get().told_state == "over"


@pytest.mark.django_db(transaction=True)
def test_turns_at_once_lose_no_usage(agent, webhook):
    limit("1", agent=agent, hard=True)
    sessions = [create_session(agent=agent, key=f"s{n}") for n in range(WRITERS)]

    def converse(session):
        taken = 0
        for _ in range(6):
            spent = Spent(Tokens(), Decimal("0.05"), None, None, {"model": session.key})
            try:
                add_turn(session=session, drafts=[draft("Hi")], spent=spent)
            except BudgetExceeded:
                continue
            taken += 1
        return taken

    taken = race(*(lambda session=session: converse(session) for session in sessions))

    # Twenty use it up; of those who began meanwhile each may have been taken.
    assert 20 <= sum(taken) < 20 + WRITERS
    assert Message.objects.count() == sum(taken)
    assert Usage.objects.count() == 6 * WRITERS
    assert events() == ["budget.warning", "budget.exceeded"]


def test_what_compacting_costs_is_seen_to(session, webhook):
    append(session, *(draft("word " * 74) for _ in range(10)))
    Session.objects.update(compact_after=500)
    limit("1", session=session)
    add_usage(session=session, tokens=Tokens(), cost=Decimal(2))
    assert events() == []

    def summarize(steps, budget, note):
        note(Call("nobody-knows", Tokens(input_tokens=9)))
        return Summary("Short")

    assert compact(session=fresh(session), summarizer=summarize)

    assert events() == ["budget.exceeded"]


def test_a_month_ago_is_not_told_of(session, webhook):
    limit("1")

    spend(session, "5", created_at=now() - timedelta(days=40))

    assert events() == []
