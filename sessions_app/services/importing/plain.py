"""Values from a stranger's file, made fit for a column of a table."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson

from sessions_app.errors import Invalid

# The end of the year 9999.
LATEST = 253_402_300_799_999
REPLACEMENT = "\ufffd"


def read_time(value: Any) -> int | None:
    """Return a moment in milliseconds from what may be milliseconds or ISO 8601."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        value = round(moment.timestamp() * 1000)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= LATEST else None


def read_text(value: Any, longest: int) -> str:
    """Return a short text, cut where it is too long; "" for what is none."""
    if not isinstance(value, str):
        return ""
    return without_nul(value)[:longest].strip()


def without_nul(text: str) -> str:
    """Return a text that PostgreSQL stores too."""
    return text.replace("\0", REPLACEMENT)


def read_metadata(value: Any) -> Any:
    """
    Return parsed JSON as a database can store it.

    :raises Invalid: if it is nested too deeply
    """
    try:
        text = orjson.dumps(value)
    except TypeError as exc:
        raise Invalid("metadata: is nested too deeply") from exc
    return _without_nul(value) if b"\\u0000" in text else value


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return without_nul(value)
    if isinstance(value, list):
        return [_without_nul(item) for item in value]
    if isinstance(value, dict):
        return {_without_nul(name): _without_nul(each) for name, each in value.items()}
    return value
