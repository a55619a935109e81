from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.services.forest.creating import create_session
from sessions_app.services.registry.keys import create_key
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.spend.groups import group_usage, total_usage
from sessions_app.services.spend.sums import Sums, sum_of
from sessions_app.services.spend.usage import Tokens, add_usage

START = datetime(2026, 3, 1, tzinfo=UTC)
GROUPS = ("day", "hour", "model", "agent", "session", "purpose", "key", "provider")


@pytest.fixture
def ledger(agent, stranger):
    """Two hundred calls of two agents in ten days."""
    chance = random.Random(1)
    keys = [create_key(agent=agent)[0].id for _ in range(2)]
    sessions = [
        create_session(agent=each, key=f"s{number}")
        for number in range(4)
        for each in (agent, stranger)
    ]
    for _ in range(200):
        add_usage(
            session=chance.choice(sessions),
            tokens=Tokens(*(chance.randrange(100) for _ in range(5))),
            cost=chance.choice((None, Decimal(0), Decimal(chance.randrange(99)) / 7)),
            model=chance.choice(("a", "b", "c")),
            provider=chance.choice(("", "openai")),
            purpose=chance.choice(("chat", "import", "title")),
            key_id=chance.choice((None, *keys)),
            created_at=START + timedelta(minutes=1 + chance.randrange(14_398)),
        )
    return sessions


def of(by, **span):
    return {(g.key, g.ref): g.sums for g in group_usage(by=by, **span).groups}


SPANS = [
    (
        since and START + timedelta(days=since),
        until and START + timedelta(days=until),
        imports,
    )
    for since, until in ((None, None), (2, None), (2, 7), (None, 4))
    for imports in (False, True)
]


@pytest.mark.parametrize("by", GROUPS)
def test_the_days_sums_are_those_of_the_ledger(ledger, agent, by):
    for span, whose in product(SPANS, (None, agent)):
        since, until, imports = span
        whole: dict[str, Any] = {
            "agent": whose,
            "since": since,
            "until": until,
            "leave_out_imports": imports,
        }
        # Where a day ends a millisecond late it is no whole day; nothing happened then.
        late = (until or START + timedelta(days=99)) + timedelta(milliseconds=1)

        from_days = of(by, **whole)

        assert from_days == of(by, **{**whole, "until": late})
        total = total_usage(**whole)
        assert sum_of(from_days.values()) == total
        assert total == total_usage(**{**whole, "until": late})
        assert total.calls > 10


def test_whole_days_do_not_read_the_ledger(ledger):
    with CaptureQueriesContext(connection) as queries:
        for by in GROUPS:
            if by != "hour":
                group_usage(by=by, since=START, limit=3)

    assert not any('"sessions_app_usage"' in query["sql"] for query in queries)


def test_of_sessions_that_are_gone_the_money_is_shown(ledger):
    before = of("session")
    for session in ledger[:3]:
        delete_session(session=session)

    after = of("session")

    gone = after.pop((None, None))
    assert after.items() <= before.items()
    assert gone.calls == sum(before[s.key, s.id].calls for s in ledger[:3])
    assert gone.cost_nanos == sum(
        before[s.key, s.id].cost_nanos or 0 for s in ledger[:3]
    )
    assert sum_of((*after.values(), gone)) == sum_of(before.values())


@pytest.mark.parametrize("by", ["session", "model", "day"])
def test_the_dearest_and_the_rest(ledger, by):
    delete_session(session=ledger[0])
    all_ = of(by)
    ranked = sorted(
        (sums.cost_nanos or 0 for (key, _), sums in all_.items() if key), reverse=True
    )

    found = group_usage(by=by, limit=2)

    named = [group for group in found.groups if group.key is not None]
    assert [group.sums.cost_nanos for group in named] == ranked[:2]
    assert found.rest
    parts = [*(group.sums for group in found.groups), found.rest]
    assert sum_of(parts) == total_usage()
    assert group_usage(by=by, limit=100).rest is None


def test_keys_are_in_order(ledger):
    days = [str(group.key) for group in group_usage(by="day").groups]
    hours = [str(group.key) for group in group_usage(by="hour").groups]

    assert days == sorted(days)
    assert days[0] == "2026-03-01"
    assert hours == sorted(hours)
    assert hours[0].startswith("2026-03-01T")
    assert hours[0].endswith(":00Z")


def test_two_agents_sessions_of_one_name_are_two(ledger):
    names = [group.key for group in group_usage(by="session").groups]

    assert names == [f"s{number}" for number in range(4) for _ in range(2)]


def test_no_calls(db):
    assert group_usage(by="day").groups == []
    assert total_usage() == Sums()
    assert total_usage().cache_hit_rate is None


def test_the_cache_hit_rate():
    assert (
        Sums(
            input_tokens=50, cache_read_tokens=30, cache_write_tokens=20
        ).cache_hit_rate
        == 0.3
    )
