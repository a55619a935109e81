"""Webhooks on the pages: the secret is shown once, and deliveries can be sent again."""

from __future__ import annotations

from sessions_app.models import Delivery, Webhook
from sessions_app.services.webhooks import create_webhook

URL = "https://example.org/hook"


def test_the_secret_is_shown_once(manager):
    response = manager.post("/webhooks", {"url": URL, "events": ["budget.warning"]})

    webhook = Webhook.objects.get()
    assert webhook.secret in response.content.decode()
    assert "no-store" in response["Cache-Control"]
    for address in ("/webhooks", f"/webhooks/{webhook.pk}"):
        assert webhook.secret not in manager.get(address).content.decode()


def test_what_is_wrong_is_said(manager):
    response = manager.post(
        "/webhooks", {"url": "ftp://x", "events": ["budget.warning"]}
    )

    assert response.status_code == 422
    assert "must begin with http" in response.content.decode()
    assert manager.post("/webhooks", {"url": URL}).status_code == 422
    assert not Webhook.objects.exists()


def test_a_test_is_sent_and_a_failure_sent_again(manager):
    webhook = create_webhook(agent=None, url=URL)
    address = f"/webhooks/{webhook.pk}"

    manager.post(address, {"act": "test"})
    delivery = Delivery.objects.get()
    Delivery.objects.update(
        state=Delivery.State.FAILED, error="Answered 500", attempts=8
    )

    assert "Answered 500" in manager.get(address).content.decode()
    manager.post(address, {"act": f"retry-{delivery.pk}"})
    delivery.refresh_from_db()
    assert delivery.state == Delivery.State.PENDING
    assert manager.post(address, {"act": "retry-999"}).status_code == 404


def test_it_is_switched_off_and_deleted(manager):
    webhook = create_webhook(agent=None, url=URL)

    manager.post(f"/webhooks/{webhook.pk}", {"act": "off"})
    assert not Webhook.objects.get().active
    manager.post(f"/webhooks/{webhook.pk}", {"act": "delete"})
    assert not Webhook.objects.exists()
    assert manager.get(f"/webhooks/{webhook.pk}").status_code == 404


def test_they_are_for_admins(operator):
    assert operator.get("/webhooks").status_code == 403
    assert operator.post("/webhooks", {"url": URL}).status_code == 403


def test_payloads_are_escaped(manager):
    webhook = create_webhook(agent=None, url=URL)
    Delivery.objects.create(
        webhook=webhook, event="x", payload="<script>alert(1)</script>"
    )

    assert (
        "<script>alert" not in manager.get(f"/webhooks/{webhook.pk}").content.decode()
    )
