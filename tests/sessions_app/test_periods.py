from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from sessions_app.periods import NEVER, moment_of, span_of

NEW_YEARS_EVE = datetime(2025, 12, 31, 23, 59, 59, tzinfo=UTC)


def bounds(period, at):
    start, end = (moment_of(day) for day in span_of(period, at))
    return [each and each.strftime("%Y-%m-%d") for each in (start, end)]


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("day", ["2025-12-31", "2026-01-01"]),
        ("month", ["2025-12-01", "2026-01-01"]),
        ("total", [None, None]),
    ],
)
def test_a_period_has_a_start_and_an_end(period, expected):
    assert bounds(period, NEW_YEARS_EVE) == expected


@pytest.mark.parametrize("month", range(1, 13))
def test_months_follow_one_another(month):
    last = span_of("month", datetime(2024, month, 28, tzinfo=UTC)).end
    following = moment_of(last)

    assert following
    assert following.month == month % 12 + 1
    assert span_of("month", following).start == last


def test_days_are_of_utc():
    tokyo = timezone(timedelta(hours=9))

    early = datetime(2026, 3, 1, 8, 59, tzinfo=tokyo)

    assert bounds("day", early) == ["2026-02-28", "2026-03-01"]
    assert bounds("month", early) == ["2026-02-01", "2026-03-01"]


def test_a_total_ends_never():
    assert span_of("total", NEW_YEARS_EVE) == (0, NEVER)
