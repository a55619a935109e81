"""The list that genai-prices keeps, as rows of our price table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

from django.utils.timezone import now

from sessions_app.models import Price
from sessions_app.models.fields import EPOCH
from sessions_app.pricing import RATES

HALF_A_DAY = 12 * 60

Key = tuple[str, str, str, datetime]

# Dates in the list's patterns: we take them off the names that are looked up.
DATED = re.compile(r"\(?(\[-@\]|-)\\d\{[48]\}(-\\d\{2\}-\\d\{2\})?\)?\??\$?$")
OPTIONAL = re.compile(r"\([^()]*\)\?")


def read_list() -> list[Price]:
    """Return the list as rows, one for each name of a model and each change of price."""
    from genai_prices import data  # noqa: PLC0415 (heavy: only where it is asked for)

    moment = now()
    rows: dict[Key, Price] = {}
    for provider in data.providers:
        for model in provider.models:
            prices = list(_by_date(model.prices))
            for match, name in _names(model.match):
                for since, price in prices:
                    row = _row(name, price)
                    if row is None:
                        continue
                    row.provider, row.match = provider.id, match
                    row.valid_from, row.updated_at = since, moment
                    # Of two that have a name, the list takes the first.
                    rows.setdefault((provider.id, row.model, match, since), row)
    return list(rows.values())


def _by_date(prices: Any) -> Iterator[tuple[datetime, Any]]:
    """
    Return prices with the moments they hold from.

    Of prices by the hour of the day we take the one that holds for most of it.
    """
    if not isinstance(prices, list):
        yield EPOCH, prices
        return
    found = {EPOCH: prices[0].prices}
    for each in prices[1:]:
        start = getattr(each.constraint, "start_date", None)
        if start is not None:
            found[datetime.combine(start, time(), UTC)] = each.prices
        elif each.constraint is None or _minutes(each.constraint) > HALF_A_DAY:
            found[EPOCH] = each.prices
    yield from found.items()


def _minutes(hours: Any) -> int:
    start, end = (
        each.hour * 60 + each.minute for each in (hours.start_time, hours.end_time)
    )
    return int(end - start) % (24 * 60)


def _names(clause: Any) -> Iterator[tuple[str, str]]:
    """Return how the names of a model match, and what they are or begin with."""
    parts = getattr(clause, "or_", None) or getattr(clause, "and_", None)
    if parts:
        for part in parts:
            yield from _names(part)
        return
    ((kind, text),) = vars(clause).items()
    if kind == "regex":
        yield from _names_of_pattern(text)
    elif kind in ("equals", "ends_with"):
        yield Price.Match.EXACT, text.lower().lstrip("/")
    elif kind in ("starts_with", "contains"):
        yield Price.Match.PREFIX, text.lower()


def _names_of_pattern(pattern: str) -> Iterator[tuple[str, str]]:
    """Return the names that the list's regular expressions stand for."""
    bare = OPTIONAL.sub("", DATED.sub("", pattern)).removeprefix("^").removesuffix("$")
    followed_by_digit = bare.endswith(r"\d")
    name = re.sub(r"\\(\W)", r"\1", bare.removesuffix(r"\d")).lower()
    if re.search(r"[\\*+?^$|()]", name):
        return
    if followed_by_digit:
        yield from ((Price.Match.PREFIX, f"{name}{digit}") for digit in range(10))
    else:
        yield Price.Match.EXACT, name


def _row(name: str, price: Any) -> Price | None:
    """Return a price of the list as a row, or None where it has none for text."""
    row = Price(model=name, source=Price.Source.LIST)
    tiers: dict[int, dict[str, int]] = {}
    for rate in RATES:
        field = "output_reasoning_mtok" if rate == "reasoning" else f"{rate}_mtok"
        value = price.__dict__.get(field)
        if value is None:
            continue
        setattr(row, rate, _nanos(getattr(value, "base", value)))
        for tier in getattr(value, "tiers", ()):
            tiers.setdefault(tier.start, {"above": tier.start})[rate] = _nanos(
                tier.price
            )
    row.tiers = [tiers[start] for start in sorted(tiers)]
    if row.input is None and row.output is None:
        if not name.endswith(":free"):
            return None
        row.input = row.output = 0
    return row


def _nanos(dollars: Decimal) -> int:
    return int((dollars * 1_000_000_000).to_integral_value())
