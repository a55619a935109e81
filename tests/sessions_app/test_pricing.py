from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.pricing import (
    CONVENTIONS,
    RATES,
    Rates,
    cost_of,
    prompt_tokens,
    round_half_even,
)
from sessions_app.services.spend.usage import Tokens

DOLLAR = 10**9


def rates(*dollars: Any, **more: Any) -> Rates:
    names = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
    given = [None if each is None else int(Decimal(each) * DOLLAR) for each in dollars]
    named: dict[str, Any] = dict(zip(names, given, strict=False))
    return Rates(**named, **more)


def dollars(rates, *tokens, **named):
    cost = cost_of(rates, Tokens(*tokens, **named))
    return None if cost is None else Decimal(cost.nanos) / DOLLAR


# memory-subsystems.md, F3: input, output and cached tokens; rates of the same.
F3 = [
    ((1240, 380, 0), ("0.10", "1.50", "0"), "additive", "0.000694"),
    ((10**6, 500_000, 0), ("1.10", "4.40", "0"), "additive", "3.30"),
    ((0, 0, 10**6), ("1.10", "4.40", "0.275"), "additive", "0.275"),
    ((1000, 500, 400), ("1", "2", "0.5"), "additive", "0.0022"),
    ((1000, 500, 400), ("1", "2", "0.5"), "exclusive", "0.0022"),
    ((1000, 500, 400), ("1", "2", "0.5"), "inclusive", "0.0018"),
    ((600, 500, 400), ("1", "2", "0.5"), "disjoint", "0.0018"),
]


@pytest.mark.parametrize(("tokens", "prices", "convention", "cost"), F3)
def test_the_acceptance_numbers(tokens, prices, convention, cost):
    assert dollars(rates(*prices, convention=convention), *tokens) == Decimal(cost)


def test_the_prompt_by_convention():
    counts = Tokens(1000, 500, 400)

    assert prompt_tokens(counts, "additive") == 1400
    assert prompt_tokens(counts, "inclusive") == 1000
    assert prompt_tokens(Tokens(600, 500, 400)) == 1000


def test_what_is_not_given_is_as_what_it_is_a_kind_of():
    bare = rates("1", "2")
    full = rates("1", "2", "0.1", "1.25", "2", reasoning=7 * DOLLAR)
    tokens = (10**6,) * 5

    assert dollars(bare, *tokens) == 1 + 2 + 1 + 1 + 2
    assert dollars(full, *tokens) == 1 + 2 + Decimal("0.1") + Decimal("1.25") + 7
    hour = dollars(full, *tokens, cache_write_1h_tokens=400_000)
    assert hour == dollars(full, *tokens) + Decimal("0.4") * Decimal("0.75")


def test_no_more_is_written_for_an_hour_than_is_written():
    one = dollars(rates("1", "1", "1", "1", "2"), 0, 0, 0, 10**6, 0, 9 * 10**6)

    assert one == 2


def test_what_is_not_known_is_not_free():
    assert dollars(rates(None, "1"), 5) is None
    assert dollars(rates("1", None), 5, 5) is None
    assert dollars(rates("1", None), 10**6) == 1
    assert dollars(rates("0", "0"), 5, 5) == 0


def test_a_longer_prompt_costs_more_for_all_of_it():
    tiers = [
        {"above": 300_000, "input": 9 * DOLLAR},
        {"above": 200_000, "input": 6 * DOLLAR, "output": 20 * DOLLAR},
    ]
    tiered = rates("3", "15", "0.3", tiers=tiers)

    assert dollars(tiered, 200_000, 0) == Decimal("0.6")
    assert dollars(tiered, 200_001, 0) == Decimal("1.200006")
    # What is read from the cache is in the prompt, and the output is of its tier.
    expected = Decimal("0.6") + Decimal("0.03") * 2 + 20
    assert dollars(tiered, 100_000, 10**6, 200_000) == expected
    assert dollars(tiered, 300_001, 0) == Decimal("2.700009")


@pytest.mark.parametrize(
    ("number", "rounded"), [(0, 0), (5, 0), (6, 1), (15, 2), (14, 1), (25, 2), (35, 4)]
)
def test_rounding(number, rounded):
    assert round_half_even(number, 10) == rounded


counts = st.integers(0, 10**12)
prices = st.integers(0, 10**12)


@given(st.tuples(*[counts] * 6), st.tuples(*[prices] * 6), st.sampled_from(CONVENTIONS))
def test_it_is_exact(tokens, prices, convention):
    asked: dict[str, Any] = dict(zip(RATES, prices, strict=True))
    cost = cost_of(Rates(**asked, convention=convention), Tokens(*tokens))

    by_input, by_output, by_read, by_write, by_hour, by_thought = prices
    sent, output, read, written, thought, hour = tokens
    hour = min(hour, written)
    if convention == "inclusive":
        sent = max(sent - read - written, 0)
    exact = Fraction(sent * by_input + output * by_output + read * by_read)
    if convention != "additive":
        exact += (written - hour) * by_write + hour * by_hour
    if convention == "disjoint":
        exact += thought * by_thought
    assert cost
    assert cost.nanos == round(exact / 10**6)
