"""Checks of what a host's code says, as the API has them for what a request says."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from context_app.services.rules import check_text
from sessions_app.errors import Invalid

MOST_TOKENS = 10**12
MOST_DOLLARS = 100_000


def check_line(value: Any, where: str, longest: int) -> None:
    """
    :raises Invalid: if it is no text that fits a session's field
    """
    if not isinstance(value, str):
        raise Invalid(f"{where}: must be a string", field=where)
    if len(value) > longest:
        raise Invalid(f"{where}: longer than {longest} characters", field=where)
    check_text(value, where)


def check_count(value: Any, where: str) -> None:
    """
    :raises Invalid: if it is no number of tokens
    """
    if type(value) is not int or not 0 <= value <= MOST_TOKENS:
        raise Invalid(f"{where}: must be a whole number, not negative", field=where)


def check_dollars(value: Any, where: str) -> None:
    """
    :raises Invalid: if it is no amount of money that one call may have cost
    """
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    if not (is_number and 0 <= float(value) <= MOST_DOLLARS):
        raise Invalid(f"{where}: must be from 0 to {MOST_DOLLARS} dollars", field=where)
