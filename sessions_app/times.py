"""How a moment is written: ISO 8601, UTC, milliseconds, Z."""

from __future__ import annotations

from datetime import UTC, datetime


def isoformat(moment: datetime) -> str:
    text = moment.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def isoformat_millis(millis: int) -> str:
    return isoformat(datetime.fromtimestamp(millis / 1000, tz=UTC))
