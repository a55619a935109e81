from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from sessions_app.models import Price, Usage
from sessions_app.services.prices import delete_prices, repricing, save_price
from sessions_app.services.prices.repricing import reprice
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.builders import fresh
from tests.ledger import recounted_totals, stored_totals

DOLLAR = 10**9
MAY, JUNE, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 6, 7))


def run(**options):
    """Reprice, and return the whole report."""
    return list(reprice(**options))[-1]


def call(session, model="m", at=JUNE, **details):
    tokens = Tokens(10**6)
    return add_usage(
        session=session, tokens=tokens, model=model, created_at=at, **details
    )[0]


def costs():
    return list(Usage.objects.order_by("id").values_list("cost_nanos", "cost_source"))


def test_what_had_no_price_gets_one(session):
    call(session)
    call(session, "other")
    save_price(Price(model="m", input=DOLLAR))

    report = run()

    assert costs() == [(DOLLAR, "computed"), (None, "")]
    assert (report.rows, report.changed) == (2, 1)
    assert (report.models["m"].before, report.models["m"].after) == (0, DOLLAR)
    assert report.models["m"].unpriced_before == 1
    assert report.models["other"].unpriced_after == 1
    assert (fresh(session).cost_nanos, fresh(session).unpriced) == (DOLLAR, 1)
    assert stored_totals() == recounted_totals()


def test_a_dry_run_says_the_same_and_changes_nothing(session):
    call(session)
    save_price(Price(model="m", input=DOLLAR))
    before = stored_totals()

    planned = run(dry_run=True)

    assert costs() == [(None, "")]
    assert stored_totals() == before
    assert run() == planned
    assert run().changed == 0


def test_what_was_reported_stays_and_is_compared(session):
    call(session, cost=Decimal(5))
    save_price(Price(model="m", input=DOLLAR))

    report = run()

    assert costs() == [(5 * DOLLAR, "reported")]
    assert Usage.objects.get().computed_nanos == DOLLAR
    assert (report.models["m"].after, report.models["m"].computed) == (
        5 * DOLLAR,
        DOLLAR,
    )


def test_what_was_reported_may_be_replaced_where_there_is_a_price(session):
    call(session, cost=Decimal(5))
    call(session, "other", cost=Decimal(7))
    save_price(Price(model="m", input=DOLLAR))

    run(reported=True)

    assert costs() == [(DOLLAR, "computed"), (7 * DOLLAR, "reported")]
    assert fresh(session).cost_nanos == 8 * DOLLAR


def test_each_call_is_priced_by_the_prices_of_its_time(session):
    for at in (MAY, JUNE, JULY):
        call(session, at=at)
    save_price(Price(model="m", valid_from=JUNE, input=DOLLAR))
    save_price(Price(model="m", valid_from=JULY, input=2 * DOLLAR))

    run()

    assert [cost for cost, _ in costs()] == [None, DOLLAR, 2 * DOLLAR]


def test_a_price_that_is_gone_leaves_the_cost_unknown(session):
    price = save_price(Price(model="m", input=DOLLAR))
    row = call(session)
    assert row.cost_nanos == DOLLAR
    delete_prices([price])

    run()

    assert costs() == [(None, "")]
    assert Usage.objects.get().price_snapshot == ""
    assert (fresh(session).cost_nanos, fresh(session).unpriced) == (None, 1)


def test_some_of_them(session):
    for model, at in (("m", MAY), ("m", JULY), ("n", JULY)):
        call(session, model, at)
    save_price(Price(model="m", input=DOLLAR))
    save_price(Price(model="n", input=DOLLAR))

    assert run(since=JUNE, model="m").rows == 1
    assert [cost for cost, _ in costs()] == [None, DOLLAR, None]


def test_batch_by_batch(session, monkeypatch):
    monkeypatch.setattr(repricing, "BATCH", 2)
    for _ in range(5):
        call(session)
    save_price(Price(model="m", input=DOLLAR))

    assert len(list(reprice())) == 3
    assert fresh(session).cost_nanos == 5 * DOLLAR


def test_an_empty_ledger(db):
    assert run().rows == 0


def test_the_command(session):
    call(session)
    save_price(Price(model="m", input=DOLLAR))
    out = StringIO()

    call_command("reprice", "--dry-run", "--quiet", stdout=out)
    assert "1 of 1 rows would change" in out.getvalue()
    assert costs() == [(None, "")]
    call_command("reprice", "--since=2026-06-01", "--model=m", "--quiet", stdout=out)

    assert "1 of 1 rows changed" in out.getvalue()
    assert costs() == [(DOLLAR, "computed")]
    with pytest.raises(CommandError):
        call_command("reprice", "--since=June")
