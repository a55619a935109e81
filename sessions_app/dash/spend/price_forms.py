"""Prices as people write them, in dollars a million tokens, and as they are stored."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import orjson

from sessions_app.errors import Invalid
from sessions_app.models import Price
from sessions_app.models.fields import EPOCH
from sessions_app.pricing import CONVENTIONS, RATES
from sessions_app.services.spend.usage import NANOS, to_nanos

LABELS = {
    "input": "Input",
    "output": "Output",
    "cache_read": "Cache read",
    "cache_write": "Cache write",
    "cache_write_1h": "Cache write, 1 h",
    "reasoning": "Reasoning",
}
HIGHEST_RATE = 1_000_000  # dollars a million tokens


def form_of(price: Price) -> dict[str, Any]:
    """Return what a form shows of a stored price."""
    rates = {name: dollars(getattr(price, name)) for name in RATES}
    return {
        **rates,
        "provider": price.provider,
        "model": price.model,
        "match": price.match,
        "convention": price.convention,
        "valid_from": ""
        if price.valid_from == EPOCH
        else price.valid_from.date().isoformat(),
        "tiers": orjson.dumps(price.tiers).decode() if price.tiers else "",
    }


def price_from(form: Mapping[str, Any], price: Price) -> Price:
    """
    Set a price's fields from a form.

    :raises Invalid: for what cannot be taken; ``field`` says where
    """
    price.provider = form.get("provider", "").strip()
    price.model = form.get("model", "").strip()
    price.match = form.get("match", "")
    price.convention = form.get("convention", "")
    if not price.model or len(price.model) > 200 or len(price.provider) > 100:
        raise Invalid("model: must be a name of at most 200 characters", field="model")
    if price.match not in Price.Match.values or price.convention not in CONVENTIONS:
        raise Invalid("match, convention: must be one of those offered", field="match")
    price.valid_from = _moment(form.get("valid_from", ""))
    for name in RATES:
        setattr(price, name, _nanos(form.get(name, ""), name))
    price.tiers = _tiers(form.get("tiers", ""))
    return price


def dollars(nanos: int | None) -> str:
    """Return a rate in dollars without zeros at its end; nothing for none."""
    if nanos is None:
        return ""
    text = f"{Decimal(nanos) / NANOS:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _nanos(text: str, name: str) -> int | None:
    text = text.strip().lstrip("$")
    if not text:
        return None
    try:
        rate = Decimal(text)
    except InvalidOperation:
        rate = Decimal(-1)
    if not rate.is_finite() or not 0 <= rate <= HIGHEST_RATE:
        raise Invalid(f"{name}: must be dollars a million tokens", field=name)
    return to_nanos(rate)


def _moment(text: str) -> datetime:
    if not text:
        return EPOCH
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        raise Invalid(
            "valid_from: must be a date, YYYY-MM-DD", field="valid_from"
        ) from None


def _tiers(text: str) -> Any:
    if not text.strip():
        return []
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise Invalid("tiers: must be JSON", field="tiers") from None
