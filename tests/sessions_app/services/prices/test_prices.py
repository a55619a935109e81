from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.errors import Invalid
from sessions_app.models import Price
from sessions_app.services import prices
from sessions_app.services.prices import delete_prices, find_price, save_price
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.builders import fresh

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)


def listed(provider, model, match="exact", **fields):
    return Price.objects.create(
        provider=provider, model=model, match=match, source="list", **fields
    )


def found(provider, model, at=NOON):
    price = find_price(provider=provider, model=model, at=at)
    return price and str(price)


def test_the_longest_name_counts():
    listed("openai", "gpt-5", "prefix")
    listed("openai", "gpt-5-mini", "prefix")
    listed("openai", "gpt-5-nano")

    assert found("openai", "gpt-5-mini-2025") == "openai/gpt-5-mini"
    assert found("openai", "gpt-5-nano") == "openai/gpt-5-nano"
    assert found("openai", "gpt-5-nano-x") == "openai/gpt-5"
    assert found("openai", "gpt-4") is None
    assert found("openai", "") is None


def test_an_exact_name_counts_before_a_beginning():
    listed("openai", "gpt-5", "prefix", input=1)
    exact = listed("openai", "gpt-5", input=2)

    assert find_price(provider="openai", model="gpt-5", at=NOON) == exact


def test_a_price_holds_from_its_day_on():
    first = listed("openai", "m", input=1)
    later = listed("openai", "m", input=2, valid_from=NOON)

    before = NOON.replace(hour=11)
    assert find_price(provider="openai", model="m", at=before) == first
    assert find_price(provider="openai", model="m", at=NOON) == later


def test_before_the_first_price_nothing_is_known():
    listed("openai", "m", valid_from=NOON)

    assert found("openai", "m", NOON.replace(hour=11)) is None


def test_the_operators_price_counts_before_the_lists():
    listed("openai", "gpt-5-mini")
    save_price(Price(model="GPT-5", match="prefix"))

    assert found("openai", "gpt-5-mini") == "gpt-5"
    assert found("my-own-server", "gpt-5-mini") == "gpt-5"


def test_an_override_from_a_day_on_leaves_what_was_before():
    listed("openai", "m")
    save_price(Price(provider="openai", model="m", valid_from=NOON, input=5))

    before = find_price(provider="openai", model="m", at=NOON.replace(hour=11))
    assert before.source == "list"
    assert find_price(provider="openai", model="m", at=NOON).source == "operator"


NAMES = [
    ("anthropic", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
    ("anthropic.messages", "claude-sonnet-4-5@20250929", "anthropic/claude-sonnet-4-5"),
    ("", "anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
    ("ai-sdk", "claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
    ("openrouter", "anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
    ("", "openrouter/anthropic/claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
    ("google-vertex", "claude-sonnet-4-5@20250929", "anthropic/claude-sonnet-4-5"),
    ("gemini", "models/gemini-2.5-flash", "google/gemini-2.5-flash"),
    ("", "models/gemini-2.5-flash", "google/gemini-2.5-flash"),
    (
        "google",
        "publishers/google/models/gemini-2.5-flash-2025-09-01",
        "google/gemini-2.5-flash",
    ),
    ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "aws/us.anthropic.claude-sonnet-4-5"),
    ("bedrock", "eu.anthropic.claude-sonnet-4-5-v1:0", "aws/anthropic.claude-sonnet-4-5"),
    ("bedrock", "arn:aws:bedrock:eu-1::x/anthropic.claude-sonnet-4-5-v1:0", "aws/anthropic.claude-sonnet-4-5"),
    ("workers-ai", "@cf/meta/llama-3.1-8b-instruct", "cloudflare/@cf/meta/llama-3.1-8b-instruct"),
    ("", "@cf/meta/llama-3.1-8b-instruct", "cloudflare/@cf/meta/llama-3.1-8b-instruct"),
    ("openrouter", "deepseek/deepseek-r1:free", "openrouter/deepseek/deepseek-r1:free"),
    # Whose price is not known is not what its maker takes.
    ("my-server", "claude-sonnet-4-5", None),
    ("openrouter", "deepseek/deepseek-v3:free", None),
    ("", "llama3", None),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "model", "price"), NAMES)
def test_names(provider, model, price):
    listed("anthropic", "claude-sonnet-4-5", "prefix")
    listed("google", "gemini-2.5-flash")
    listed("aws", "anthropic.claude-sonnet-4-5", "prefix")
    listed("aws", "us.anthropic.claude-sonnet-4-5", "prefix")
    listed("cloudflare", "@cf/meta/llama-3.1-8b-instruct")
    listed("openrouter", "deepseek/deepseek-r1:free")
    listed("deepseek", "deepseek-v3", "prefix")

    assert found(provider, model) == price


def test_a_call_is_priced(session):
    save_price(Price(provider="openai", model="m", input=10**9, output=2 * 10**9))
    price = Price.objects.get()

    row, _ = add_usage(
        session=session, tokens=Tokens(10**6, 500_000), provider="openai", model="m"
    )

    row.refresh_from_db()
    assert (row.cost_nanos, row.computed_nanos) == (2 * 10**9, 2 * 10**9)
    assert row.cost_source == "computed"
    assert json.loads(row.price_snapshot) == {
        "price": price.id,
        "name": "openai/m",
        "input": 10**9,
        "output": 2 * 10**9,
    }
    assert (fresh(session).cost_nanos, fresh(session).unpriced) == (2 * 10**9, 0)


def test_what_was_reported_counts_and_is_compared(session):
    save_price(Price(model="m", input=10**9, output=0))

    row, _ = add_usage(
        session=session, tokens=Tokens(10**6), model="m", cost=Decimal(0)
    )

    assert (row.cost_nanos, row.computed_nanos) == (0, 10**9)
    assert row.cost_source == "reported"


def test_what_is_not_known_stays_unknown(session):
    save_price(Price(model="m", input=10**9))

    row, _ = add_usage(session=session, tokens=Tokens(5, 5), model="m")

    assert (row.cost_nanos, row.computed_nanos, row.cost_source) == (None, None, "")
    assert row.price_snapshot == ""
    assert (fresh(session).cost_nanos, fresh(session).unpriced) == (None, 1)


def test_another_processs_change_is_seen_soon(monkeypatch):
    listed("openai", "m")
    assert found("openai", "m")

    Price.objects.all().delete()  # as another process would
    assert found("openai", "m")
    monkeypatch.setattr(prices, "LOOK_EVERY", 0)
    assert found("openai", "m") is None


def test_a_known_model_takes_no_query(monkeypatch):
    monkeypatch.setattr(prices, "LOOK_EVERY", math.inf)
    listed("openai", "m")
    found("openai", "m")

    with CaptureQueriesContext(connection) as queries:
        assert found("openai", "m")

    assert len(queries) == 0


@pytest.mark.parametrize("tiers", [{}, [{}], [{"above": -1}], [{"above": 1, "x": 2}]])
def test_tiers_that_are_none(tiers):
    with pytest.raises(Invalid):
        save_price(Price(model="m", tiers=tiers))


def test_two_prices_from_one_moment():
    save_price(Price(model="m"))

    with pytest.raises(Invalid):
        save_price(Price(model="m"))


def test_a_price_of_the_list_is_not_deleted():
    price = listed("openai", "m")

    with pytest.raises(Invalid):
        delete_prices([price])
    assert Price.objects.count() == 1


def test_without_its_price_a_model_has_none():
    price = save_price(Price(model="m"))
    assert found("", "m")

    delete_prices([price])

    assert found("", "m") is None
