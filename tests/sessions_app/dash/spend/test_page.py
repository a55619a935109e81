"""The page on spend: what it adds up, and what it says of what it cannot."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils.timezone import now

from sessions_app.dash.spend.page import days_before
from sessions_app.dash.spend.ranges import Range, midnight
from sessions_app.services.forest.creating import create_session
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.counting import count_queries

TOKENS = Tokens(input_tokens=1000, output_tokens=200, cache_read_tokens=3000)


@pytest.fixture
def spent(session):
    """Three days of two models, an import, and a call that nobody has a price for."""
    for days, model, cost, purpose in (
        (0, "claude-sonnet-4-5", "1.50", "chat"),
        (1, "claude-sonnet-4-5", "2.25", "compaction"),
        (2, "gpt-5.1", "0.0412", "chat"),
        (2, "gpt-5.1", "7", "import"),
        (40, "gpt-5.1", "100", "chat"),
    ):
        add_usage(
            session=session,
            tokens=TOKENS,
            cost=Decimal(cost),
            model=model,
            provider="p",
            purpose=purpose,
            created_at=now() - timedelta(days=days),
        )
    add_usage(session=session, tokens=TOKENS, model="home-made")
    return session


def text(client, address="/spend"):
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_it_adds_up_the_last_thirty_days(viewer, spent):
    page = text(viewer)

    assert "$10.79" in page  # 1.50 + 2.25 + 0.0412 + 7
    assert "1 call" in page
    assert "home-made" in page
    assert "claude-sonnet-4-5" in page


def test_imports_may_be_left_out(viewer, spent):
    assert "$3.79" in text(viewer, "/spend?imports=out")


def test_a_longer_range_has_more(viewer, spent):
    assert "$110.79" in text(viewer, "/spend?range=90d")


def test_dates_may_be_chosen(viewer, spent):
    day = (now() - timedelta(days=40)).date().isoformat()

    page = text(viewer, f"/spend?since={day}&until={day}")

    assert "$100.00" in page
    assert "$110" not in page


@pytest.mark.parametrize("by", ["model", "kind", "agent", "purpose"])
@pytest.mark.parametrize("span", ["24h", "7d", "30d", "90d"])
def test_the_bars_are_stacked_by(viewer, spent, by, span):
    assert 'role="img"' in text(viewer, f"/spend?range={span}&by={by}")


@pytest.mark.parametrize(
    "query",
    ["range=2y", "by=colour", "since=yesterday", "since=2026-02-30", "since=0001-01-01",
     "since=2026-02-01&until=2026-01-01", "since=2020-01-01&until=2026-01-01"],
)  # fmt: skip
def test_what_is_no_range_is_refused(viewer, query):
    response = viewer.get(f"/spend?{query}")

    assert response.status_code == 422
    assert query.split("=")[0] in response.content.decode()


def test_nothing_spent_is_no_error(viewer):
    page = text(viewer)

    assert "$0.00" in page
    assert "No call of a model was recorded" in page


def test_names_are_escaped(viewer, agent):
    session = create_session(agent=agent, name="<script>alert(1)</script>")
    add_usage(session=session, tokens=TOKENS, cost=Decimal(1), model="<img src=x>")

    page = text(viewer)

    assert "<script>alert" not in page
    assert "<img" not in page


def test_the_csv_holds_the_same(viewer, spent):
    response = viewer.get("/spend.csv")

    body = b"".join(response.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(body)))
    assert sum(Decimal(row["cost_usd"] or 0) for row in rows) == Decimal("10.7912")
    assert [row["unpriced"] for row in rows if row["model"] == "home-made"] == ["1"]
    assert response["Content-Type"].startswith("text/csv")


def test_a_name_in_the_csv_is_no_formula(viewer, session):
    add_usage(session=session, tokens=TOKENS, model="=HYPERLINK(1)")

    body = b"".join(viewer.get("/spend.csv").streaming_content).decode()

    assert "'=HYPERLINK(1)" in body


def test_the_day_in_hours_has_its_csv_too(viewer, spent):
    body = b"".join(viewer.get("/spend.csv?range=24h").streaming_content).decode()

    assert "claude-sonnet-4-5" in body


def test_it_is_not_for_everybody(client, spent):
    assert client.get("/spend").status_code == 302


def test_it_asks_as_much_of_a_large_ledger_as_of_a_small_one(viewer, spent, agent):
    viewer.get("/spend")  # what is looked up once
    few = count_queries(viewer, "/spend")
    for number in range(12):
        session = create_session(agent=agent)
        add_usage(session=session, tokens=TOKENS, cost=Decimal(1), model=f"m{number}")

    assert count_queries(viewer, "/spend") == few
    assert few <= 30


def test_the_mean_of_the_first_days_looks_back(session):
    today = midnight(now().date())
    for days in (30, 32):
        moment = today - timedelta(days=days)
        add_usage(session=session, tokens=TOKENS, cost=Decimal(6), created_at=moment)
    since, until = today - timedelta(days=29), today + timedelta(days=1)
    month = Range("30d", since, until, with_imports=True)
    # From the first day that was paid for on, the days without spend count.
    assert [cost // 10**9 for cost in days_before(month)] == [6, 0, 6]
