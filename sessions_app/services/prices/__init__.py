"""Which price holds for a call, and what the call costs by it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec
from django.db import IntegrityError, transaction
from django.utils.timezone import now

from sessions_app import sql
from sessions_app.errors import Invalid
from sessions_app.model_names import names_of, providers_of
from sessions_app.models import Price, Usage
from sessions_app.pricing import RATES, Rates, cost_of

# How long a process may not know of prices that another one has changed, in seconds.
LOOK_EVERY = 2.0
# Of how many models a process remembers the prices.
MOST_MODELS = 2_000

FREE = ":free"

VERSION = "SELECT count(*), max(id), max(updated_at) FROM sessions_app_price"


@dataclass(slots=True)
class Candidate:
    """A price that matches, ready to be computed with."""

    price: Price
    valid_from: datetime
    rates: Rates
    # The beginning of the JSON that says by what a cost was computed.
    snapshot: str


@dataclass
class Known:
    """The prices that a process has looked up, by provider and model."""

    version: object = None
    looked: float = float("-inf")
    candidates: dict[tuple[str, str], list[Candidate]] = field(default_factory=dict)

    def refresh(self) -> None:
        if time.monotonic() - self.looked < LOOK_EVERY:
            return
        version = sql.one(VERSION)
        if version != self.version or len(self.candidates) > MOST_MODELS:
            self.candidates.clear()
        self.version = version
        self.looked = time.monotonic()


_known = Known()


def forget_prices() -> None:
    """Look prices up anew, from the next call on: this process has changed them."""
    _known.looked = float("-inf")
    _known.candidates.clear()


def find_price(*, provider: str, model: str, at: datetime) -> Price | None:
    """
    Return the price of a model at a moment, or None where nobody knows it.

    The operator's prices come before the list's; of those the longest name that
    matches, then the newest.
    """
    found = _find(provider, model, at)
    return found.price if found else None


def _find(provider: str, model: str, at: datetime) -> Candidate | None:
    if not model:
        return None
    _known.refresh()
    candidates = _known.candidates.get((provider, model))
    if candidates is None:
        candidates = [_candidate(price) for price in _matching(provider, model)]
        _known.candidates[provider, model] = candidates
    for candidate in candidates:
        if candidate.valid_from <= at:
            return candidate
    return None


def _candidate(price: Price) -> Candidate:
    told: dict[str, Any] = {"price": price.id, "name": str(price)}
    if price.convention != Price.Convention.DISJOINT:
        told["convention"] = price.convention
    snapshot = msgspec.json.encode(told).decode().removesuffix("}")
    return Candidate(price, price.valid_from, rates_of(price), snapshot)


def _matching(provider: str, model: str) -> list[Price]:
    """Return the prices that match at any time, the best first."""
    sellers = providers_of(provider, model)
    names = names_of(model)
    beginnings = {name[:end] for name in names for end in range(1, len(name) + 1)}
    rows = Price.objects.filter(provider__in=("", *sellers), model__in=beginnings)
    # What a router gives away under a model's name does not cost what the model does.
    free = model.endswith(FREE)
    matching = [
        row
        for row in rows
        if (row.match == Price.Match.PREFIX or row.model in names)
        and row.model.endswith(FREE) == free
    ]

    def rank(price: Price) -> tuple[Any, ...]:
        listed = price.source == Price.Source.LIST
        seller = sellers.index(price.provider) if price.provider else len(sellers)
        exact = price.match == Price.Match.EXACT
        newest = -price.valid_from.timestamp()
        # A seller's own price counts before that of whom it sells for.
        return (listed, seller, -len(price.model), not exact, newest)

    return sorted(matching, key=rank)


def rates_of(price: Price) -> Rates:
    given = {name: getattr(price, name) for name in RATES}
    return Rates(**given, convention=price.convention, tiers=price.tiers)


def compute_cost(row: Usage) -> None:
    """Set what our price list says that a call cost, and by which rates."""
    row.computed_nanos, row.price_snapshot = None, ""
    found = _find(row.provider, row.model, row.created_at)
    cost = cost_of(found.rates, row) if found else None
    if found and cost:
        row.computed_nanos = cost.nanos
        used = "".join(f',"{name}":{rate}' for name, rate in cost.rates.items())
        row.price_snapshot = f"{found.snapshot}{used}}}"


def set_cost(row: Usage) -> None:
    """Price a row that is new: what was reported counts, or else what we compute."""
    compute_cost(row)
    if row.cost_nanos is not None:
        row.cost_source = Usage.CostSource.REPORTED
    elif row.computed_nanos is not None:
        row.cost_nanos = row.computed_nanos
        row.cost_source = Usage.CostSource.COMPUTED


def save_price(price: Price) -> Price:
    """
    Write an operator's price, new or changed.

    :raises Invalid: if its tiers are none, or there is one of that name and moment
    """
    if not is_tiers(price.tiers):
        raise Invalid(
            "tiers: must be a list of rates above so many tokens", field="tiers"
        )
    price.source = Price.Source.OPERATOR
    price.provider = price.provider.lower()
    price.model = price.model.lower()
    price.updated_at = now()
    try:
        with transaction.atomic():
            price.save()
    except IntegrityError as exc:
        raise Invalid("There is a price of that model from that moment") from exc
    forget_prices()
    return price


def delete_prices(prices: Sequence[Price]) -> None:
    """
    Delete operators' prices; those of the list stay.

    :raises Invalid: if one of them is the list's
    """
    if any(price.source == Price.Source.LIST for price in prices):
        raise Invalid("A price of the list cannot be deleted: override it")
    Price.objects.filter(id__in=[price.id for price in prices]).delete()
    forget_prices()


def is_tiers(value: object) -> bool:
    """Say whether a value is fit to be the tiers of a price."""
    return isinstance(value, list) and all(
        isinstance(tier, dict)
        and type(tier.get("above")) is int
        and tier.keys() <= {"above", *RATES}
        and all(type(rate) is int and rate >= 0 for rate in tier.values())
        for tier in value
    )
