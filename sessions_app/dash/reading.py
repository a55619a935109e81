"""Reading what stands in an address: a value that makes no sense is refused (422)."""

from __future__ import annotations

from collections.abc import Container, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation

from sessions_app.dash.rendering.formatting import NANOS
from sessions_app.errors import Invalid

# What fits into a column of the database.
LARGEST = 2**62
LONGEST = 500


def text_in(params: Mapping[str, str], name: str, longest: int = LONGEST) -> str:
    return params.get(name, "").replace("\0", "").strip()[:longest]


def uid_in(params: Mapping[str, str], name: str) -> str:
    """Return an id as it was given: spaces may belong to it, but no NUL."""
    return params.get(name, "").replace("\0", "")


def choice_in(params: Mapping[str, str], name: str, choices: Container[str]) -> str:
    """
    :raises Invalid: if it is given, and none of the choices
    """
    value = params.get(name, "")
    if value and value not in choices:
        raise Invalid(f"{name}: is none of the choices", field=name)
    return value


def number_in(params: Mapping[str, str], name: str, default: int = 0) -> int:
    """
    :raises Invalid: if it is no whole number from 0 on
    """
    value = params.get(name, "")
    return whole(value, name) if value else default


def whole(value: str, name: str) -> int:
    """
    :raises Invalid: if it is no whole number from 0 on
    """
    number = row_key(value)
    if number is None:
        raise Invalid(f"{name}: must be a whole number", field=name)
    return number


def row_key(value: str) -> int | None:
    """Return what may be a primary key, or None for a text that is none."""
    # Python refuses to read thousands of digits.
    is_number = value.isascii() and value.isdecimal() and len(value) < 20
    number = int(value) if is_number else LARGEST
    return number if number < LARGEST else None


def dollars_in(params: Mapping[str, str], name: str) -> int | None:
    """
    Return an amount in billionths.

    :raises Invalid: if it is no amount of dollars
    """
    value = params.get(name, "").strip().removeprefix("$")
    if not value:
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or not 0 <= amount < 10**9:
        raise Invalid(f"{name}: must be an amount in dollars", field=name)
    return int(amount * NANOS)


def day_in(
    params: Mapping[str, str], name: str, *, ends: bool = False
) -> datetime | None:
    """
    Return the beginning of a day, in UTC, or where it ``ends``.

    :raises Invalid: if it is no day
    """
    value = params.get(name, "")
    if not value:
        return None
    try:
        day = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
        return day + timedelta(days=1) if ends else day
    except (ValueError, OverflowError) as exc:
        raise Invalid(f"{name}: must be a day, as 2026-01-31", field=name) from exc
