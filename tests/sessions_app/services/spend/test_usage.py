from __future__ import annotations

from decimal import Decimal

import pytest
from django.db import connection

from sessions_app.errors import NotFound
from sessions_app.models import Usage
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import clear_session, delete_session
from sessions_app.services.spend.usage import (
    Tokens,
    add_usage,
    add_usage_rows,
    to_dollars,
    to_nanos,
)
from sessions_app.services.writing.editing import put_message
from tests.builders import draft, fresh, say


def add(session, tokens=None, **details):
    return add_usage(session=session, tokens=tokens or Tokens(10, 5), **details)


def sums(session):
    session = fresh(session)
    return (
        session.input_tokens,
        session.output_tokens,
        session.cost_nanos,
        session.unpriced,
    )


def test_it_works(session):
    say(session, "a")

    row, new = add(
        session,
        Tokens(1, 2, 3, 4, 5),
        cost=Decimal("0.0125"),
        message="a",
        model="gpt-5",
        provider="openai",
        purpose="title",
        raw="{}",
    )

    assert new
    assert row == Usage.objects.get()
    assert (row.agent, row.message.uid) == (session.agent, "a")
    assert (row.model, row.provider, row.purpose) == ("gpt-5", "openai", "title")
    assert row.cost_nanos == 12_500_000
    session = fresh(session)
    assert (session.input_tokens, session.output_tokens) == (1, 2)
    assert (session.cache_read_tokens, session.cache_write_tokens) == (3, 4)
    assert session.reasoning_tokens == 5
    assert (session.cost_nanos, session.unpriced) == (12_500_000, 0)


def test_sums(session):
    add(session, cost=Decimal("0.5"))
    add(session, cost=Decimal("0.25"))

    assert sums(session) == (20, 10, 750_000_000, 0)


def test_what_has_no_price_is_counted(session):
    add(session)
    assert sums(session) == (10, 5, None, 1)

    add(session, cost=Decimal(1))
    add(session)
    assert sums(session) == (30, 15, 1_000_000_000, 2)


def test_what_is_free_has_a_price(session):
    add(session, cost=Decimal(0))

    assert sums(session) == (10, 5, 0, 0)


def test_a_response_is_counted_once(session):
    first, _ = add(session, response_id="r1", cost=Decimal(1))

    again, new = add(session, Tokens(99, 99), response_id="r1", cost=Decimal(9))

    assert (again, new) == (first, False)
    assert sums(session) == (10, 5, 1_000_000_000, 0)


def test_rows_without_a_response_are_all_counted(session):
    add(session)
    add(session)

    assert Usage.objects.count() == 2


def test_two_sessions_may_have_the_same_response(agent, session):
    add(session, response_id="r1")

    _, new = add(create_session(agent=agent), response_id="r1")

    assert new


def test_an_unknown_message(session):
    with pytest.raises(NotFound):
        add(session, message="nope")

    assert sums(session) == (0, 0, None, 0)


def test_a_fork_spends_on_what_it_inherits(session):
    say(session, "a")
    fork = fork_session(session=session)

    row, _ = add(fork, message="a")

    assert row.message == session.messages.get()
    assert sums(session) == (0, 0, None, 0)


@pytest.mark.parametrize("leave", [clear_session, delete_session])
def test_what_a_fork_spent_does_not_hold_on_to_what_it_shared(session, leave):
    say(session, "a")
    middle = fork_session(session=session)
    say(middle, "b")
    fork = fork_session(session=middle)
    rows = [add(fork, message=uid)[0] for uid in "ab"]

    leave(session=fork)
    # Now the messages of the one in the middle get other primary keys.
    put_message(session=session, draft=draft("changed", "a"))

    for row in rows:
        row.refresh_from_db()
        assert row.message is None
    connection.check_constraints()


def test_it_outlives_its_session(session):
    say(session, "a")
    row, _ = add(session, message="a", response_id="r1")

    delete_session(session=session)

    row.refresh_from_db()
    assert (row.session, row.message, row.input_tokens) == (None, None, 10)


def test_many_rows(session):
    add(session, response_id="r1", cost=Decimal(1))
    rows = [
        Usage(
            agent=session.agent,
            session=session,
            input_tokens=1,
            response_id=response_id,
            cost_nanos=cost_nanos,
        )
        for response_id, cost_nanos in [
            ("r1", 1), ("r2", 2), ("r2", 2), (None, None), (None, 3),
        ]
    ]  # fmt: skip

    added = add_usage_rows(session=session, rows=rows)

    assert [row.response_id for row in added] == ["r2", None, None]
    assert sums(session) == (13, 5, 1_000_000_005, 1)


def test_no_rows(session):
    assert add_usage_rows(session=session, rows=[]) == []


@pytest.mark.parametrize(
    ("dollars", "nanos"),
    [
        ("0", 0),
        ("1", 1_000_000_000),
        ("0.000000001", 1),
        ("0.0000000005", 0),
        ("0.0000000015", 2),
        ("0.00000000051", 1),
        ("12345678.123456789", 12_345_678_123_456_789),
    ],
)
def test_nanos(dollars, nanos):
    assert to_nanos(Decimal(dollars)) == nanos


def test_dollars():
    assert to_dollars(None) is None
    assert to_dollars(12_500_000) == 0.0125
