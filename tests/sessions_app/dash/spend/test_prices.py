"""Prices on the pages: the operator's own, and pricing the ledger anew."""

from __future__ import annotations

import pytest

from sessions_app.models import Job, Price, Usage
from sessions_app.services.jobs import run_next
from sessions_app.services.spend.usage import Tokens, add_usage

GIVEN = {
    "model": "home-made", "match": "exact", "provider": "", "input": "0.25", "output": "$1.5",
    "cache_read": "", "cache_write": "", "cache_write_1h": "", "reasoning": "",
    "valid_from": "", "tiers": "", "convention": "disjoint",
}  # fmt: skip


@pytest.fixture
def listed(db):
    return Price.objects.create(
        model="claude-sonnet-4-5",
        provider="anthropic",
        source=Price.Source.LIST,
        input=3_000_000_000,
        output=15_000_000_000,
    )


def test_an_operator_sets_a_price(operator):
    response = operator.post("/prices", GIVEN)

    assert response["Location"] == "/prices/reprice?model=home-made"
    price = Price.objects.get()
    assert (price.input, price.output, price.cache_read) == (250_000_000, 1_500_000_000, None)  # fmt: skip
    assert price.source == Price.Source.OPERATOR
    page = operator.get("/prices").content.decode()
    assert ">0.25</td>" in page
    assert "yours" in page


@pytest.mark.parametrize(
    ("given", "field"),
    [({"model": ""}, "model"), ({"input": "much"}, "input"), ({"output": "-1"}, "output"),
     ({"cache_read": "9999999"}, "cache_read"), ({"valid_from": "soon"}, "valid_from"),
     ({"tiers": "{"}, "tiers"), ({"tiers": '[{"over": 1}]'}, "tiers"),
     ({"match": "fuzzy"}, "match"), ({"convention": "odd"}, "match")],
)  # fmt: skip
def test_what_is_wrong_is_said_and_the_form_kept(operator, given, field):
    response = operator.post("/prices", {**GIVEN, "reasoning": "7.77", **given})

    page = response.content.decode()
    assert response.status_code == 422
    assert f"{field}" in page
    assert 'value="7.77"' in page
    assert not Price.objects.exists()


def test_a_price_of_the_list_is_overridden_not_changed(operator, listed):
    page = operator.get(f"/prices?copy={listed.pk}").content.decode()

    assert 'value="claude-sonnet-4-5"' in page
    assert 'value="15"' in page
    assert operator.get(f"/prices/{listed.pk}").status_code == 404
    assert operator.post(f"/prices/{listed.pk}/delete").status_code == 404


def test_changing_and_deleting_ones_own(operator):
    operator.post("/prices", GIVEN)
    price = Price.objects.get()

    operator.post(f"/prices/{price.pk}", {**GIVEN, "input": "2"})
    price.refresh_from_db()
    assert price.input == 2_000_000_000
    operator.post(f"/prices/{price.pk}/delete")
    assert not Price.objects.exists()


def test_they_are_found(viewer, listed):
    assert "claude-sonnet-4-5" in viewer.get("/prices?q=sonnet").content.decode()
    assert "No price matches" in viewer.get("/prices?q=zzz").content.decode()
    assert "No price matches" in viewer.get("/prices?source=operator").content.decode()


def test_the_list_is_read_by_a_job(operator):
    operator.post("/prices/sync")
    operator.post("/prices/sync")

    assert [job.name for job in Job.objects.all()] == ["sync_price_list"]


def test_pricing_anew_first_says_what_would_change(operator, session):
    add_usage(session=session, tokens=Tokens(input_tokens=1_000_000), model="home-made")
    operator.post("/prices", GIVEN)

    page = operator.get("/prices/reprice?model=home-made").content.decode()

    assert "Price 1 call anew" in page
    assert "$0.2500" in page
    assert "1 → 0" in page
    assert Usage.objects.get().cost_nanos is None


def test_and_then_does_it(operator, session):
    add_usage(session=session, tokens=Tokens(input_tokens=1_000_000), model="home-made")
    operator.post("/prices", GIVEN)

    operator.post("/prices/reprice", {"model": "home-made", "since": ""})
    job = Job.objects.get(name="reprice_ledger")

    run_next()

    assert job.kwargs["model"] == "home-made"
    assert Usage.objects.get().cost_nanos == 250_000_000


def test_a_date_that_is_none(operator):
    assert operator.get("/prices/reprice?since=soon").status_code == 422


def test_a_viewer_only_looks(viewer):
    assert viewer.post("/prices", GIVEN).status_code == 403
    assert viewer.get("/prices/reprice").status_code == 403
    assert viewer.post("/prices/sync").status_code == 403
