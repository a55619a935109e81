from __future__ import annotations

import pytest

from sessions_app.models import ApiKey, Budget
from sessions_app.services.forest.creating import create_session
from tests.api import api_of, refusal, walk
from tests.budgeting import limit, spend


@pytest.fixture
def own_admin(agent):
    """A client with an admin's key of one agent."""
    return api_of(agent, "admin")


def test_it_works(admin_api, session):
    made = admin_api.post(
        "/budgets",
        {"limit_usd": 10, "session": "trip", "name": "Trip", "note": "For Ada"},
    )
    spend(session, "8.5")
    spend(session, None)

    read = admin_api.get(f"/budgets/{made.json()['id']}").json()

    assert made.status_code == 201
    assert read.pop("starts_at") < read.pop("resets_at")
    assert read == {
        "id": made.json()["id"],
        "name": "Trip",
        "note": "For Ada",
        "covers": {"kind": "session", "name": "trip", "agent": "support"},
        "period": "month",
        "limit_usd": 10.0,
        "warn_at": 80,
        "hard": False,
        "active": True,
        "spent_usd": 8.5,
        "left_usd": 1.5,
        "share": 0.85,
        "state": "warning",
        "unpriced": 1,
        "created_at": made.json()["created_at"],
    }
    assert admin_api.get("/budgets").json()["items"][0]["spent_usd"] == 8.5


@pytest.mark.parametrize(
    ("body", "covers"),
    [
        ({}, ["everything", None, None]),
        ({"agent": "support"}, ["agent", "support", "support"]),
        ({"session": "trip"}, ["session", "trip", "support"]),
        ({"session": "trip", "agent": "support"}, ["session", "trip", "support"]),
    ],
)
def test_what_it_covers(admin_api, session, body, covers):
    made = admin_api.post("/budgets", {"limit_usd": 1, **body})

    assert list(made.json()["covers"].values()) == covers


def test_it_covers_a_key_by_its_prefix(admin_api, api, agent):
    prefix = ApiKey.objects.get(agent=agent).prefix

    made = admin_api.post("/budgets", {"limit_usd": 1, "key": prefix})

    covers = {"kind": "key", "name": prefix, "agent": "support"}
    assert made.json()["covers"] == covers


def test_change_and_delete(admin_api, db):
    budget = limit("1")

    changed = admin_api.patch(
        f"/budgets/{budget.id}", {"limit_usd": 2.5, "hard": True, "period": "day"}
    ).json()
    deleted = admin_api.delete(f"/budgets/{budget.id}")

    assert (changed["limit_usd"], changed["hard"], changed["period"]) == (
        2.5,
        True,
        "day",
    )
    assert deleted.status_code == 204
    assert refusal(admin_api.get(f"/budgets/{budget.id}")) == (404, "not_found")


def test_the_budgets_of_a_session(api, session, stranger):
    spend(session, "1.5")
    limit("4", agent=session.agent, period="total")
    limit("1.75", hard=True)
    limit("1", agent=stranger)

    found = api.get("/sessions/trip/budget").json()

    assert [item["spent_usd"] for item in found["items"]] == [1.5, 1.5]
    assert (found["left_usd"], found["state"]) == (0.25, "warning")


def test_a_session_without_budgets(api, session):
    assert api.get("/sessions/trip/budget").json() == {
        "items": [],
        "left_usd": None,
        "state": "ok",
    }


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "limit_usd"),
        ({"limit_usd": 0}, "limit_usd"),
        ({"limit_usd": 1e-10}, "limit_usd"),
        ({"limit_usd": 1e10}, "limit_usd"),
        ({"limit_usd": 1, "period": "week"}, "period"),
        ({"limit_usd": 1, "warn_at": 0}, "warn_at"),
        ({"limit_usd": 1, "name": "x" * 201}, "name"),
        ({"limit_usd": 1, "what": 1}, "what"),
        ({"limit_usd": 1, "session": "trip", "key": "mh_"}, "key"),
    ],
)
def test_what_is_wrong_is_named(admin_api, session, body, field):
    response = admin_api.post("/budgets", body)

    assert refusal(response) == (422, "invalid")
    assert field in str(response.json()["error"]["details"])
    assert not Budget.objects.exists()


def test_one_that_is_there(admin_api, db):
    limit("1")

    again = admin_api.post("/budgets", {"limit_usd": 2})

    assert refusal(again) == (409, "budget_exists")


@pytest.mark.parametrize("body", [{"agent": "x"}, {"session": "x"}, {"key": "x"}])
def test_what_is_not_there(admin_api, session, body):
    response = admin_api.post("/budgets", {"limit_usd": 2, **body})

    assert refusal(response) == (404, "not_found")


def test_it_needs_an_admins_key(api, session):
    budget = limit("1")

    for response in (
        api.get("/budgets"),
        api.post("/budgets", {"limit_usd": 1}),
        api.get(f"/budgets/{budget.id}"),
        api.patch(f"/budgets/{budget.id}", {}),
        api.delete(f"/budgets/{budget.id}"),
    ):
        assert refusal(response) == (403, "forbidden")


def test_an_agents_key_sees_and_makes_its_own(own_admin, agent, stranger):
    theirs = create_session(agent=stranger, key="theirs")
    budgets = [limit("1"), limit("1", agent=stranger), limit("1", session=theirs)]

    made = own_admin.post("/budgets", {"limit_usd": 1}).json()

    assert made["covers"] == {"kind": "agent", "name": "support", "agent": "support"}
    assert [item["id"] for item in walk(own_admin, "/budgets")] == [made["id"]]
    for budget in budgets:
        path = f"/budgets/{budget.id}"
        for response in (
            own_admin.get(path),
            own_admin.patch(path, {"limit_usd": 9}),
            own_admin.delete(path),
        ):
            assert refusal(response) == (404, "not_found")
    key = ApiKey.objects.exclude(agent=agent).first()
    for body in (
        {"agent": "stranger"},
        {"session": "theirs"},
        {"session": "theirs", "agent": "stranger"},
        *([{"key": key.prefix}] if key else []),
    ):
        response = own_admin.post("/budgets", {"limit_usd": 1, **body})
        assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize("number", [0, 2**63 - 1])
def test_a_number_that_is_none(admin_api, number):
    assert refusal(admin_api.get(f"/budgets/{number}")) == (404, "not_found")


def test_pages(admin_api, session):
    for warn_at in range(2):
        limit("1", hard=bool(warn_at))

    assert len(walk(admin_api, "/budgets", limit=1)) == 2
