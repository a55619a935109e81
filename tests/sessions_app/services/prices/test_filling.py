from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from genai_prices import Usage as TheirUsage
from genai_prices import calc_price

from sessions_app.models import Job, Price, Usage
from sessions_app.pricing import cost_of
from sessions_app.services.jobs import run_next
from sessions_app.services.prices import find_price, rates_of, save_price
from sessions_app.services.prices.filling import sync_prices, want_prices
from sessions_app.services.prices.listed import read_list
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.builders import fresh

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def rows():
    return read_list()


def table():
    fields = [field.name for field in Price._meta.fields if field.name != "updated_at"]
    return list(Price.objects.order_by("id").values_list(*fields))


def test_it_fills_the_table_and_changes_nothing_the_second_time(rows):
    first = sync_prices()
    before = table()
    again = sync_prices()

    assert first.added == len(before) == len(rows) > 3_000
    assert (again.added, again.changed, again.removed) == (0, 0, 0)
    assert again.unchanged == len(before)
    assert table() == before


def test_it_mends_what_differs_and_leaves_the_operators_rows():
    sync_prices()
    right = table()
    own = save_price(Price(provider="openai", model="gpt-5", input=1))
    changed, gone = Price.objects.filter(source="list")[:2]
    Price.objects.filter(id=changed.id).update(input=7)
    gone.delete()
    Price.objects.create(provider="openai", model="old", source="list")

    planned = sync_prices(dry_run=True)
    assert (planned.added, planned.changed, planned.removed) == (1, 1, 1)
    assert Price.objects.get(id=changed.id).input == 7
    assert sync_prices() == planned

    assert Price.objects.get(id=own.id).input == 1
    assert {row[1:] for row in map(repr_of, right)} == {
        row[1:] for row in map(repr_of, table()) if row[0] != own.id
    }


def repr_of(row):
    return (row[0], *map(repr, row[1:]))


MODELS = [
    ("anthropic", "claude-sonnet-4-5-20250929"),
    ("anthropic", "claude-opus-4-1"),
    ("anthropic", "claude-3-haiku-20240307"),
    ("openai", "gpt-5"),
    ("openai", "gpt-4o-2024-08-06"),
    ("openai", "gpt-5.1-codex"),
    ("google", "gemini-2.5-pro"),
    ("google", "gemini-2.5-flash"),
    ("mistral", "mistral-large-latest"),
    ("x-ai", "grok-4"),
    ("openrouter", "anthropic/claude-sonnet-4.5"),
    ("aws", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
]


@pytest.mark.parametrize("tokens", [(1_000, 500, 300, 200), (400_000, 9_000, 7, 5)])
def test_it_comes_to_the_same_cost_as_the_list(tokens):
    sync_prices()
    for provider, model in MODELS:
        sent, output, read, written = tokens
        theirs = calc_price(
            TheirUsage(
                input_tokens=sent + read + written,
                cache_read_tokens=read,
                cache_write_tokens=written,
                output_tokens=output,
            ),
            model,
            provider_id=provider,
            genai_request_timestamp=NOON,
        )
        price = find_price(provider=provider, model=model, at=NOON)
        assert price, model
        ours = cost_of(rates_of(price), Tokens(*tokens))
        assert ours
        assert abs(Decimal(ours.nanos) / 10**9 - theirs.total_price) < Decimal("1e-9")


def test_a_price_that_changed_has_a_row_for_each_time(rows):
    moments = {
        (row.match, row.model): sorted(
            each.valid_from.date()
            for each in rows
            if (each.provider, each.model) == ("anthropic", row.model)
        )
        for row in rows
        if row.provider == "anthropic"
    }

    assert moments["prefix", "claude-sonnet-4-6"] == [
        date(1970, 1, 1),
        date(2026, 3, 13),
    ]


def test_the_first_start_has_them_fetched_once(session):
    add_usage(session=session, tokens=Tokens(10**6), provider="openai", model="gpt-5")
    assert fresh(session).unpriced == 1

    want_prices()
    want_prices()
    assert Job.objects.count() == 1
    run_next()

    done, later = Job.objects.order_by("id")
    assert (done.error, done.finished_at is None) == ("", False)
    assert (fresh(session).unpriced, fresh(session).cost_nanos) == (0, 1_250_000_000)
    want_prices()
    assert Job.objects.count() == 2
    # What a process that did not know yet has put in meanwhile.
    Usage.objects.update(cost_nanos=None, computed_nanos=None, cost_source="")
    run_next(later.run_after)
    assert fresh(session).cost_nanos == 1_250_000_000


def test_the_command():
    out = StringIO()
    call_command("sync_prices", "--dry-run", stdout=out)
    assert "added" in out.getvalue()
    assert not Price.objects.exists()

    call_command("sync_prices", stdout=out)

    assert Price.objects.count() > 3_000
