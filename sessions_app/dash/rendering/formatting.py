"""Numbers, money and times as people read them: visual brief, part 6."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

NANOS = 1_000_000_000
STEPS = ((1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k"))
AGES = ((86_400 * 365, "y"), (86_400, "d"), (3_600, "h"), (60, "min"))


def short_count(count: int) -> str:
    """Return 61234 as 61.2k; below a thousand the number itself."""
    for size, unit in STEPS:
        # 999,950 would be 1000.0k.
        if abs(count) >= size * 0.99995:
            return f"{count / size:.1f}{unit}"
    return str(count)


def money(nanos: int | None) -> str:
    """Return dollars with as many digits as a small sum needs; None is not priced."""
    if nanos is None:
        return "not priced"
    dollars = Decimal(nanos) / NANOS
    if nanos == 0 or abs(dollars) >= 1:
        return f"${dollars:,.2f}"
    if abs(dollars) >= Decimal("0.0001"):
        return f"${dollars:.4f}"
    return f"${dollars:.9f}".rstrip("0")


def age(then: datetime, now: datetime) -> str:
    """Return how long ago, or in how long, in the largest unit that fills."""
    seconds = (now - then).total_seconds()
    for size, unit in AGES:
        if abs(seconds) >= size:
            count = f"{int(abs(seconds) // size)} {unit}"
            return f"{count} ago" if seconds > 0 else f"in {count}"
    return "just now" if seconds >= 0 else "in a moment"


def exact(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def short_id(key: str) -> str:
    """
    Return 8 signs of an id, those that tell it from its neighbours.

    A UUIDv7 begins with its time, which neighbours share; and what stands before a
    colon says where it came from.
    """
    if len(key) <= 12:
        return key
    rest = key.rpartition(":")[2] or key
    try:
        given = UUID(rest)
    except ValueError:
        return rest if len(rest) <= 12 else f"{rest[:8]}…"
    return str(given)[-8:] if given.version == 7 else str(given)[:8]


def size(count: int) -> str:
    """Return bytes as 1.2 MB."""
    value = float(count)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def duration(milliseconds: int) -> str:
    """Return 450 as 0.5 s, 75000 as 1 min 15 s."""
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
