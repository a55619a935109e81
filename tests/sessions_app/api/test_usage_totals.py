from __future__ import annotations

from decimal import Decimal

import pytest

from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.editing import put_message
from tests.api import refusal
from tests.builders import draft, say, talk

URL = "/sessions/trip/usage/totals"


def spend(session, cost, message=None, **details):
    return add_usage(
        session=session,
        tokens=Tokens(10, 5, 30),
        cost=Decimal(cost),
        message=message,
        **details,
    )


def costs(api, url=URL, **query):
    totals = api.get(url, **query).json()
    seen = ("own", "with_sub_sessions", "path", "tree")
    return [totals[name]["cost_usd"] for name in seen]


@pytest.fixture(autouse=True)
def tree(session):
    """a - b - c, and d beside b."""
    talk(session, "a b c")
    say(session, "d", parent="a")
    for uid, cost in (("a", "1"), ("b", "2"), ("c", "4"), ("d", "8")):
        spend(session, cost, uid, model="m1")
    spend(session, "16", model="m2", purpose="compaction")
    return session


def test_own_path_and_tree(api):
    assert costs(api) == [31, 31, 9, 31]
    assert costs(api, leaf="c") == [31, 31, 7, 31]
    assert costs(api, leaf="a") == [31, 31, 1, 31]


def test_by_model_and_by_purpose(api):
    totals = api.get(URL).json()

    assert {g["key"]: g["cost_usd"] for g in totals["by_model"]} == {"m1": 15, "m2": 16}
    assert {g["key"]: g["calls"] for g in totals["by_purpose"]} == {
        "chat": 4,
        "compaction": 1,
    }
    assert totals["cache_hit_rate"] == 0.75


def test_with_all_that_was_made_from_it(api, session, agent):
    below = create_session(agent=agent, key="below", parent_session=session)
    spend(below, "100")
    spend(create_session(agent=agent, key="lower", parent_session=below), "1000")
    spend(create_session(agent=agent, key="beside"), "5000")

    assert costs(api)[:2] == [31, 1131]
    assert costs(api, "/sessions/below/usage/totals")[:2] == [100, 1100]


def test_what_a_fork_shares_was_paid_for_once(api, session):
    fork = fork_session(session=session, at="b", key="fork")
    say(fork, "x")
    spend(fork, "32", "x")
    spend(fork, "64", "a")

    # Its path is a, b, x: what it spent, and what was spent before it.
    assert costs(api, "/sessions/fork/usage/totals") == [96, 96, 99, 99]
    assert costs(api, leaf="b") == [31, 127, 3, 31]


def test_a_fork_that_comes_apart_keeps_its_own(api, session):
    fork = fork_session(session=session, at="b", key="fork")
    spend(fork, "64", "a")

    put_message(session=session, draft=draft("changed", "a"))

    assert costs(api, "/sessions/fork/usage/totals") == [64, 64, 64, 64]


def test_an_empty_session(api, agent):
    create_session(agent=agent, key="empty")

    totals = api.get("/sessions/empty/usage/totals").json()

    assert totals["own"] == totals["path"] == totals["tree"]
    assert (totals["own"]["calls"], totals["own"]["cost_usd"]) == (0, None)
    assert (totals["cache_hit_rate"], totals["by_model"]) == (None, [])


def test_an_unknown_leaf(api):
    assert refusal(api.get(URL, leaf="nope")) == (404, "not_found")


def test_another_agents_does_not_exist(stranger_api):
    assert refusal(stranger_api.get(URL)) == (404, "not_found")
