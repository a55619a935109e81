"""The Usage tab: along the branch, in all, and beside our prices."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.spend.paths import spent_along
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.builders import fresh, say, talk
from tests.counting import count_queries


def spend(session, message, cost, **fields):
    tokens = Tokens(input_tokens=1000, cache_read_tokens=3000)
    cost = cost and Decimal(cost)
    add_usage(session=session, tokens=tokens, cost=cost, message=message, model="m", **fields)  # fmt: skip


@pytest.fixture
def spent(session):
    """A trunk of a and b, a branch c of $2 and one d of $4, whose head it is."""
    talk(session, "a b c")
    say(session, "d", parent="b")
    for message, cost in (("a", "1"), ("c", "2"), ("d", "4")):
        spend(session, message, cost)
    spend(session, None, "0.5", purpose="compaction")
    return fresh(session)


def text(client, session, query=""):
    response = client.get(f"/sessions/{session.pk}/usage{query}")
    assert response.status_code == 200
    return response.content.decode()


def test_abandoned_branches_were_paid_too(viewer, spent):
    page = text(viewer, spent)

    assert "$5.00" in page  # a and d
    assert "$7.50" in page
    assert "75%" in page


def test_another_branch_costs_what_it_costs(viewer, spent):
    assert "$3.00" in text(viewer, spent, "?leaf=c")
    assert viewer.get(f"/sessions/{spent.pk}/usage?leaf=zzz").status_code == 404


def test_along_the_branch(spent):
    found = spent_along(session=spent)

    assert [(each.first, each.last, each.cost_nanos) for each in found] == [
        (1, 1, 1_000_000_000),
        (2, 2, 0),
        (3, 3, 4_000_000_000),
    ]


def test_a_long_branch_has_sixty_stretches_at_most(session):
    talk(session, " ".join(f"m{number}" for number in range(130)))
    spend(session, "m0", "1")
    spend(session, "m129", "2")

    found = spent_along(session=fresh(session))

    assert len(found) == 44
    assert (found[0].first, found[0].last) == (1, 3)
    assert (found[-1].first, found[-1].last) == (130, 130)
    assert sum(each.cost_nanos for each in found) == 3_000_000_000


def test_sub_sessions_count_with_it(viewer, spent):
    below = create_session(agent=spent.agent, parent_session=spent)
    spend(below, None, "10")

    assert "$17.50" in text(viewer, spent)


def test_a_fork_has_its_own_and_what_it_shares(viewer, spent):
    fork = fork_session(session=spent, at="b")

    page = text(viewer, fork)

    assert "with what the fork shares" in page
    assert "$1.00" in page


def test_nothing_yet(viewer, session):
    page = text(viewer, session)

    assert "No call was recorded" in page
    assert "$0.00" in page


def test_a_call_without_a_price_is_not_free(viewer, session):
    spend(session, None, None)

    page = text(viewer, session)

    assert "not priced" in page
    assert "not in the sums: not free" in page


def test_it_asks_as_much_of_many_calls_as_of_one(viewer, session):
    talk(session, "a b")
    spend(session, "a", "1")
    text(viewer, session)  # what is looked up once
    few = count_queries(viewer, f"/sessions/{session.pk}/usage")
    for _ in range(20):
        spend(session, "b", "1")

    assert count_queries(viewer, f"/sessions/{session.pk}/usage") == few
    assert few <= 30
