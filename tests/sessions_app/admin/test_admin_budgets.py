from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import LogEntry

from sessions_app.models import Budget, Delivery, Job, Webhook
from sessions_app.services.webhooks import create_webhook, send_test
from tests.admin_pages import act, change_page, errors_of, page_of, save
from tests.budgeting import limit, spend

URL = "http://127.0.0.1:9/hook"
ADD_BUDGET = "/admin/sessions_app/budget/add/"
ADD_WEBHOOK = "/admin/sessions_app/webhook/add/"


def test_a_budget_is_made_changed_and_deleted(admin_client, agent):
    save(admin_client, ADD_BUDGET, agent=agent.pk, limit="2.5", hard="on")
    budget = Budget.objects.get()
    assert (budget.agent, budget.limit_nanos, budget.hard) == (
        agent,
        2_500_000_000,
        True,
    )

    save(admin_client, change_page(budget), limit="3", note="More")
    budget.refresh_from_db()
    assert (budget.limit_nanos, budget.note, budget.hard) == (3 * 10**9, "More", True)

    act(admin_client, "delete_selected", budget, post="yes")
    assert not Budget.objects.exists()


def test_its_page_says_what_is_spent(admin_client, viewer, session):
    budget = limit("2", agent=session.agent)
    spend(session, "1.75")
    spend(session, None)

    for client in (admin_client, viewer):
        content = client.get(change_page(budget)).content.decode()
        assert "$1.75 and 1 unpriced" in content
        assert "warning" in content
    assert "$2.00" in content


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1e10", "NaN"])
def test_a_limit_that_cannot_be_is_shown_in_the_form(admin_client, limit):
    response = save(admin_client, ADD_BUDGET, limit=limit)

    assert errors_of(response)
    assert not Budget.objects.exists()


def test_it_is_for_one_thing_and_there_is_one(admin_client, agent, session):
    limit("1", agent=agent)

    both = save(admin_client, ADD_BUDGET, agent=agent.pk, session=session.pk, limit="1")
    again = save(admin_client, ADD_BUDGET, agent=agent.pk, limit="1")

    assert "a budget is for one of them" in errors_of(both)
    assert "There is a budget for the same already" in errors_of(again)


def test_a_secret_is_shown_once(admin_client, agent):
    response = save(
        admin_client, ADD_WEBHOOK, url=URL, events=["budget.exceeded"], active="on"
    )

    shown = admin_client.get(response["Location"]).content.decode()
    webhook = Webhook.objects.get()
    assert webhook.events == ["budget.exceeded"]
    assert re.findall(r"<code>(whsec_[\w-]+)</code>", shown) == [webhook.secret]
    for page in (response["Location"], change_page(webhook), "/admin/"):
        assert webhook.secret not in admin_client.get(page).content.decode()
    assert webhook.secret not in str(LogEntry.objects.values_list())


def test_a_webhook_is_changed(admin_client, db):
    webhook = create_webhook(agent=None, url=URL)

    save(admin_client, change_page(webhook), url="http://b/", events=["budget.warning"])
    refused = save(admin_client, change_page(webhook), url="http://169.254.169.254/")

    webhook.refresh_from_db()
    assert (webhook.url, webhook.events) == ("http://b/", ["budget.warning"])
    assert "link-local" in errors_of(refused)


def test_deliveries_are_sent_again(admin_client, viewer):
    delivery = send_test(webhook=create_webhook(agent=None, url=URL))
    Delivery.objects.update(state="failed", next_try_at=None)
    Job.objects.all().delete()

    act(viewer, "send_again", delivery)
    assert not Job.objects.exists()
    act(admin_client, "send_again", delivery)

    assert Job.objects.get().kwargs == {"delivery": delivery.id}
    assert admin_client.post(page_of(Delivery, "add"), {}).status_code == 403
