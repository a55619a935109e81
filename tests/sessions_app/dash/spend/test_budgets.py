"""Budgets on the pages: making, changing, deleting, and how they stand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sessions_app.models import Budget
from sessions_app.services.registry.keys import create_key
from sessions_app.services.spend.budget_changes import create_budget
from sessions_app.services.spend.usage import Tokens, add_usage

GIVEN = {
    "covers": "everything", "name": "", "limit": "12.50", "period": "month",
    "warn_at": "80", "title": "All of it", "active": "on",
}  # fmt: skip


def make(client, **given):
    return client.post("/budgets", {**GIVEN, **given})


def test_an_operator_makes_one_for_everything(operator):
    response = make(operator, hard="on")

    assert (response.status_code, response["Location"]) == (303, "/budgets")
    budget = Budget.objects.get()
    assert (budget.limit_nanos, budget.hard, budget.name) == (12_500_000_000, True, "All of it")  # fmt: skip
    assert "All of it" in operator.get("/budgets").content.decode()


def test_for_an_agent_a_session_and_a_key(operator, agent, session):
    key, _ = create_key(agent=agent)

    make(operator, covers="agent", name="support")
    make(operator, covers="session", name="trip")
    make(operator, covers="session", name=str(session.pk), period="day")
    make(operator, covers="key", name=key.prefix)

    budgets = list(Budget.objects.order_by("id"))
    assert [budget.agent for budget in budgets] == [agent, None, None, None]
    assert [budget.session for budget in budgets] == [None, session, session, None]
    assert budgets[3].key == key


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"limit": "much"}, "limit: must be an amount"),
        ({"limit": "0"}, "must be more than 0"),
        ({"limit": "NaN"}, "must be more than 0"),
        ({"warn_at": "101"}, "must be 1 to 100"),
        ({"warn_at": "-1"}, "must be 1 to 100"),
        ({"period": "year"}, "must be one of"),
        ({"covers": "agent", "name": "nobody"}, "nobody"),
        ({"covers": "session", "name": "nowhere"}, "there is no session"),
        ({"covers": "key", "name": "mh_none"}, "there is no key"),
        ({"title": "x" * 201}, "at most 200"),
    ],
)
def test_what_is_wrong_is_said_and_the_form_kept(operator, given, said):
    response = make(operator, note="Keep me", **given)

    page = response.content.decode()
    assert response.status_code in (404, 422)
    assert said in page
    assert "Keep me" in page
    assert not Budget.objects.exists()


def test_a_second_one_for_the_same_is_refused(operator):
    make(operator)

    response = make(operator)

    assert response.status_code == 409
    assert Budget.objects.count() == 1


def test_changing_one(operator):
    budget = create_budget(limit=Decimal(1), hard=True)

    assert 'value="1"' in operator.get(f"/budgets/{budget.pk}").content.decode()
    operator.post(f"/budgets/{budget.pk}", {**GIVEN, "limit": "20"})

    budget.refresh_from_db()
    assert (budget.limit_nanos, budget.hard) == (20_000_000_000, False)


def test_deleting_one(operator):
    budget = create_budget(limit=Decimal(1))

    assert operator.post(f"/budgets/{budget.pk}/delete").status_code == 303
    assert not Budget.objects.exists()
    assert operator.post(f"/budgets/{budget.pk}/delete").status_code == 404


def test_how_they_stand(viewer, session):
    create_budget(limit=Decimal(10), agent=session.agent, name="Near")
    create_budget(limit=Decimal(5), session=session, name="Over")
    add_usage(
        session=session, tokens=Tokens(input_tokens=1), cost=Decimal(9), model="m"
    )
    add_usage(session=session, tokens=Tokens(input_tokens=1), model="home-made")

    page = viewer.get("/budgets").content.decode()

    assert "$9.00 of $10.00" in page
    assert "near" in page
    assert "used up" in page
    assert "1 call without a price not counted" in page


def test_a_viewer_only_looks(viewer):
    budget = create_budget(limit=Decimal(1))

    assert make(viewer).status_code == 403
    assert viewer.post(f"/budgets/{budget.pk}/delete").status_code == 403
    assert "Make the budget" not in viewer.get("/budgets").content.decode()
    assert Budget.objects.count() == 1


def test_names_are_escaped(viewer):
    create_budget(
        limit=Decimal(1), name="<script>alert(1)</script>", note="<img src=x>"
    )

    page = viewer.get("/budgets").content.decode()

    assert "<script>alert" not in page
    assert "<img" not in page
