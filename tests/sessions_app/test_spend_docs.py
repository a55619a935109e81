"""The worked examples of docs/spend.md are what the code does."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from sessions_app.formats.usage import USAGES, read_providers_usage
from sessions_app.models import Price
from sessions_app.pricing import Rates, cost_of
from sessions_app.services.prices import save_price
from sessions_app.services.spend.usage import COUNTS, Tokens, to_nanos

DOCS = Path(__file__).resolve().parents[2] / "docs" / "spend.md"
EXAMPLES = [
    json.loads(text)
    for text in re.findall(r"```json\n(.*?)```", DOCS.read_text(), re.DOTALL)
]
each_example = pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda example: example["provider"]
)


def rates(example):
    return {
        name: to_nanos(Decimal(str(dollars)))
        for name, dollars in example["usd_per_million"].items()
    }


@each_example
def test_the_usage_is_taken_apart(example):
    counts = read_providers_usage(example["provider"], example["usage"]).counts

    assert {name: n for name, n in counts.items() if n} == example["buckets"]


@each_example
def test_the_cost_is_that_of_the_buckets(example):
    cost = cost_of(Rates(**rates(example)), Tokens(**example["buckets"]))

    assert cost
    assert cost.nanos == to_nanos(Decimal(example["cost_usd"]))


@each_example
def test_the_api_does_the_same(api, session, example):
    save_price(Price(model="m", **rates(example)))
    body = {"provider": example["provider"], "raw": example["usage"], "model": "m"}

    row = api.post("/sessions/trip/usage", body).json()["row"]

    assert {name: row[name] for name in COUNTS if row[name]} == example["buckets"]
    assert row["cost_usd"] == float(example["cost_usd"])


def test_each_provider_has_an_example():
    told = {example["provider"] for example in EXAMPLES}

    same = {"openai": "openai-chat"}
    assert {same.get(name, name) for name in told} == USAGES.keys() - {
        "ai-sdk-model",
        "raw",
    }
