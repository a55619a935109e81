"""What budgets do to turns and to usage that is reported."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.errors import MemoryHubError
from sessions_app.models import ApiKey, Message, Usage
from sessions_app.services.spend.budget_changes import update_budget
from tests.api import counts, refusal
from tests.budgeting import limit, spend
from tests.builders import seen

URL = "/sessions/trip/turns"


@pytest.fixture(autouse=True)
def _session(session):
    return session


def turn(*ids, usd=1.0, **usage):
    messages = [
        {"id": uid, "role": "assistant", "content": "Hi"}
        if uid
        else {"role": "assistant", "content": "Hi"}
        for uid in ids
    ]
    return {
        "messages": messages,
        "usage": {"output_tokens": 3, "cost_usd": usd} | usage,
    }


def test_a_turn_that_crosses_the_limit_is_taken_and_the_next_is_not(api, session):
    budget = limit("2", name="Rent", hard=True)

    first = api.post(URL, turn("a"))
    crossing = api.post(URL, turn("b", usd=1.5))
    refused = api.post(URL, turn("c", usd=0.25))

    assert (first.status_code, crossing.status_code) == (201, 201)
    assert first.json()["budgets"] == []
    (warning,) = crossing.json()["budgets"]
    assert warning | {"resets_at": ""} == {
        "id": budget.id,
        "name": "Rent",
        "covers": {"kind": "everything", "name": None, "agent": None},
        "period": "month",
        "limit_usd": 2.0,
        "spent_usd": 2.5,
        "left_usd": 0.0,
        "state": "over",
        "hard": True,
        "resets_at": "",
    }
    assert refusal(refused) == (402, "budget_exceeded")
    error = refused.json()["error"]
    assert "'Rent' of $2.00 is used up ($2.50)" in error["message"]
    assert error["details"]["budget"] == warning
    assert error["details"]["resets_at"] == warning["resets_at"]
    assert error["details"]["what_to_do"]
    assert seen(session) == "a b"
    assert [row.cost_nanos for row in Usage.objects.order_by("id")] == [
        1_000_000_000,
        1_500_000_000,
        250_000_000,
    ]
    session.refresh_from_db()
    assert session.cost_nanos == 2_750_000_000


@pytest.mark.parametrize(
    ("usage", "headers"),
    [
        ({"response_id": "r"}, {}),
        ({}, {"Idempotency_Key": "k1"}),
        ({"response_id": "r"}, {"Idempotency_Key": "k1"}),
    ],
)
def test_a_refused_turn_that_is_sent_again_counts_once(api, session, usage, headers):
    budget = limit("1", hard=True)
    spend(session, "1")
    body = turn(None, **usage)

    for _ in range(3):
        assert api.post(URL, body, **headers).status_code == 402

    assert Usage.objects.count() == 2
    assert not Message.objects.exists()
    update_budget(budget=budget, limit=Decimal(9))
    taken = api.post(URL, body, **headers)
    assert taken.status_code == 201
    assert Usage.objects.count() == 2
    assert Message.objects.count() == 1
    if headers:
        assert api.post(URL, body, **headers)["Idempotency-Replayed"] == "true"
        assert Message.objects.count() == 1


def test_without_both_it_is_known_by_its_messages(api, session):
    budget = limit("1", hard=True)
    spend(session, "1")

    for _ in range(2):
        assert api.post(URL, turn("a", "b")).status_code == 402
    assert api.post(URL, turn("a", "c")).status_code == 402
    update_budget(budget=budget, limit=Decimal(9))
    assert api.post(URL, turn("a", "b")).status_code == 201

    assert Usage.objects.count() == 3


def test_different_turns_with_nothing_to_know_them_by_all_count(api, session):
    limit("1", hard=True)
    spend(session, "1")

    for _ in range(2):
        assert api.post(URL, turn(None)).status_code == 402

    assert Usage.objects.count() == 3


def test_another_request_with_the_key_of_a_refused_one_counts(api, session):
    limit("1", hard=True)
    spend(session, "1")

    api.post(URL, turn(None), Idempotency_Key="k")
    api.post(URL, turn(None, usd=2), Idempotency_Key="k")

    assert Usage.objects.count() == 3


def test_a_turn_that_was_taken_is_answered_again(api):
    limit("1", hard=True)
    crossing = turn("a", response_id="r")
    assert api.post(URL, crossing).status_code == 201

    again = api.post(URL, crossing)

    assert again.status_code == 200
    assert again.json()["items"][0]["status"] == "existing"
    assert again.json()["budgets"][0]["state"] == "over"
    assert Usage.objects.count() == 1


def test_usage_that_names_a_message_of_the_refused_turn(api, session):
    limit("1", hard=True)
    api.post(URL, turn("q"))

    refused = api.post(URL, turn("a", message="a", usd=2))
    of_another = api.post(URL, turn("b", message="q", usd=3))

    assert (refused.status_code, of_another.status_code) == (402, 402)
    rows = Usage.objects.order_by("id")
    assert [row.message and row.message.uid for row in rows] == ["q", None, "q"]


def test_what_costs_nothing_is_never_refused(api, session):
    limit("1", hard=True)
    spend(session, "5")
    message = {"id": "m", "role": "user", "content": "Hello"}

    assert (
        api.post("/sessions/trip/messages", {"messages": [message]}).status_code == 201
    )
    without = api.post(URL, {"messages": [message | {"id": "n"}]})
    assert without.status_code == 201
    assert without.json()["budgets"] == []


def test_usage_that_is_reported_is_taken_and_warned_of(api, session):
    limit("1", hard=True)
    call = {"output_tokens": 3, "cost_usd": 0.9}

    first = api.post("/sessions/trip/usage", call)
    second = api.post("/sessions/trip/usage", call)

    assert (first.status_code, second.status_code) == (201, 201)
    assert [each.json()["budgets"][0]["state"] for each in (first, second)] == [
        "warning",
        "over",
    ]


def test_a_soft_one_only_warns(api):
    limit("1")

    replies = [api.post(URL, turn(uid)) for uid in "abc"]

    assert [reply.status_code for reply in replies] == [201] * 3
    assert replies[2].json()["budgets"][0]["spent_usd"] == 3.0


def test_a_budget_of_a_key_limits_what_comes_with_it(api, admin_api, session):
    key = ApiKey.objects.get(agent=session.agent)
    limit("1", key=key, hard=True)

    assert api.post(URL, turn("a")).status_code == 201
    assert api.post(URL, turn("b")).status_code == 402
    assert admin_api.post(URL, turn("c")).status_code == 201


def test_a_refusal_before_it_comes_first(api, session):
    limit("1", hard=True)
    spend(session, "1")
    before = counts()

    assert refusal(api.post(URL, turn("a", output_tokens=-1))) == (422, "invalid")
    assert refusal(api.post("/sessions/none/turns", turn("a"))) == (404, "not_found")

    assert counts() == before


def test_the_error_is_a_kind_of_its_own():
    (kind,) = [
        k for k in MemoryHubError.__subclasses__() if k.code == "budget_exceeded"
    ]

    assert kind.__subclasses__() == []


def test_without_budgets_a_turn_asks_once(api):
    with CaptureQueriesContext(connection) as queries:
        api.post(URL, turn("a"))

    asked = [each for each in queries if "sessions_app_budget" in each["sql"]]
    assert len(asked) == 1
