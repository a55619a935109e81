from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sessions_app.models import Price, SessionDay, UsageDay
from sessions_app.services.prices import find_price
from tests.admin_pages import act, change_page, delete_page, errors_of, page_of, save

ADD = "/admin/sessions_app/price/add/"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def listed(db):
    return Price.objects.create(provider="openai", model="gpt-5", source="list")


def found():
    return find_price(provider="openai", model="gpt-5", at=NOW)


def test_an_operators_price_overrides_the_lists_at_once(admin_client, listed):
    assert found() == listed

    save(admin_client, ADD, provider="OpenAI", model="GPT-5", input=5, output=7)

    own = found()
    assert (own.source, own.provider, own.model) == ("operator", "openai", "gpt-5")
    assert (own.input, own.output, own.cache_read) == (5, 7, None)

    save(admin_client, change_page(own), input=6)
    assert found().input == 6

    act(admin_client, "delete_selected", own, post="yes")
    assert found() == listed


def test_what_is_wrong_is_said(admin_client, listed):
    response = save(admin_client, ADD, model="m", tiers='[{"over": 5}]')
    assert "above" in errors_of(response)

    save(admin_client, ADD, model="m")
    response = save(admin_client, ADD, model="M")
    assert errors_of(response)
    assert Price.objects.filter(model="m").count() == 1


def test_a_price_of_the_list_is_only_looked_at(admin_client, listed):
    assert admin_client.get(change_page(listed)).status_code == 200
    assert admin_client.post(change_page(listed), {"input": 1}).status_code == 403
    assert admin_client.post(delete_page(listed), {"post": "yes"}).status_code == 403

    page = act(admin_client, "delete_selected", listed, post="yes")

    assert "override it" in page.content.decode()
    assert Price.objects.get().input is None


@pytest.mark.parametrize("model", [UsageDay, SessionDay])
def test_sums_are_only_looked_at(admin_client, trip, model):
    row = model.objects.get()

    assert admin_client.get(change_page(row)).status_code == 200
    assert admin_client.post(change_page(row), {"calls": 9}).status_code == 403
    assert admin_client.post(delete_page(row), {"post": "yes"}).status_code == 403
    assert admin_client.get(page_of(model, "add")).status_code == 403
    assert "$0.0042" in admin_client.get(page_of(model, "changelist")).content.decode()
