from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from sessions_app.dash.rendering.formatting import (
    age,
    duration,
    money,
    short_count,
    short_id,
    size,
)
from sessions_app.dash.rendering.tags import marked

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (61_234, "61.2k"), (999_949, "999.9k"),
     (999_950, "1.0M"), (43_200_000, "43.2M"), (2_000_000_000, "2.0B")],
)  # fmt: skip
def test_counts_are_short(count, text):
    assert short_count(count) == text


@pytest.mark.parametrize(
    ("nanos", "text"),
    [(None, "not priced"), (0, "$0.00"), (30_330_198_000, "$30.33"),
     (1_234_567_890_000, "$1,234.57"), (41_200_000, "$0.0412"), (100_000, "$0.0001"),
     (1_500, "$0.0000015"), (1, "$0.000000001"), (-2_000_000_000, "$-2.00")],
)  # fmt: skip
def test_money_has_the_digits_that_it_needs(nanos, text):
    assert money(nanos) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "just now"), (59, "just now"), (60, "1 min ago"), (3599, "59 min ago"),
     (3600, "1 h ago"), (90_000, "1 d ago"), (400 * 86_400, "1 y ago"),
     (-1, "in a moment"), (-360, "in 6 min")],
)  # fmt: skip
def test_ages_are_in_the_largest_unit_that_fills(seconds, text):
    assert age(AT - timedelta(seconds=seconds), AT) == text


def test_ids_are_short_where_they_differ():
    assert short_id("trip") == "trip"
    assert short_id("oasst:ea201f57-d24a") == "ea201f57…"
    assert short_id("telegram:12345678") == "12345678"
    assert short_id("pi:d703a1a9-1b7b-4fb1-b512-c9738b1fe617") == "d703a1a9"
    assert short_id("019a9d2e-1b7b-7fb1-b512-c9738b1fe617") == "8b1fe617"


def test_sizes_and_durations():
    assert [size(0), size(999), size(1000), size(3_400_000)] == ["0 bytes", "999 bytes", "1.0 kB", "3.4 MB"]  # fmt: skip
    assert size(10**15) == "1000000.0 GB"
    assert [duration(450), duration(75_000), duration(3_700_000)] == ["0.5 s", "1 min 15 s", "1 h 1 min"]  # fmt: skip


def test_a_snippet_of_json_is_read_without_its_signs():
    assert marked('{"text": "one\\n\\ttwo \\"three\\""}') == (
        "{&quot;text&quot;: &quot;one two &quot;three&quot;&quot;}"
    )
    # One alone may be a folder.
    assert marked("C:\\new") == "C:\\new"
    assert marked('<b>\\"') == "&lt;b&gt;&quot;"
