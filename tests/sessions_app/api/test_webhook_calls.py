from __future__ import annotations

import pytest

from sessions_app.models import Delivery, Webhook
from sessions_app.services.webhooks import create_webhook, send_test
from tests.api import api_of, refusal, walk
from tests.webhook_server import let_time_pass, send_all, webhook_server

URL = "https://hooks.example.org/x"
EVERY = ["budget.warning", "budget.exceeded", "compaction.failed"]


@pytest.fixture
def own_admin(agent):
    """A client with an admin's key of one agent."""
    return api_of(agent, "admin")


def test_it_works(admin_api, agent):
    made = admin_api.post("/webhooks", {"url": URL, "agent": "support"})
    listed = admin_api.get("/webhooks")

    shown = made.json()
    secret = shown.pop("secret")
    assert made.status_code == 201
    assert shown == {
        "id": shown["id"],
        "url": URL,
        "events": EVERY,
        "agent": "support",
        "active": True,
        "created_at": shown["created_at"],
    }
    assert Webhook.objects.get().secret == secret
    assert listed.json() == {"items": [shown], "next": None}
    assert secret not in listed.content.decode()


def test_change_and_delete(admin_api, db):
    webhook = create_webhook(agent=None, url=URL)
    path = f"/webhooks/{webhook.id}"

    changed = admin_api.patch(path, {"events": EVERY[:1], "active": False})

    assert (changed.json()["events"], changed.json()["active"]) == (EVERY[:1], False)
    assert changed.json()["url"] == URL
    assert webhook.secret not in changed.content.decode()
    assert admin_api.delete(path).status_code == 204
    assert not Webhook.objects.exists()


def test_a_test_is_sent_and_seen_among_the_deliveries(admin_api, db):
    with webhook_server(500, 200) as server:
        webhook = create_webhook(agent=None, url=server.url)
        path = f"/webhooks/{webhook.id}"

        sent = admin_api.post(f"{path}/test")
        send_all()
        (failed,) = admin_api.get(f"{path}/deliveries").json()["items"]
        let_time_pass()
        again = admin_api.post(f"{path}/deliveries/{failed['id']}/retry")
        send_all()
        (delivered,) = admin_api.get(f"{path}/deliveries").json()["items"]
        too_late = admin_api.post(f"{path}/deliveries/{failed['id']}/retry")

    assert sent.status_code == 202
    assert sent.json()["event"] == "webhook.test"
    assert sent.json()["payload"]["webhook"] == {"id": webhook.id}
    assert (failed["state"], failed["status"], failed["attempts"]) == (
        "pending",
        500,
        1,
    )
    assert (again.status_code, again.json()["attempts"]) == (202, 0)
    assert (delivered["state"], delivered["next_try_at"]) == ("delivered", None)
    assert delivered["delivered_at"] >= delivered["created_at"]
    assert refusal(too_late) == (409, "already_delivered")


def test_deliveries_come_newest_first(admin_api, db):
    webhook = create_webhook(agent=None, url=URL)
    made = [send_test(webhook=webhook).id for _ in range(3)]

    listed = walk(admin_api, f"/webhooks/{webhook.id}/deliveries", limit=2)

    assert [item["id"] for item in listed] == made[::-1]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "url"),
        ({"url": "ftp://x/"}, "url"),
        ({"url": "http://169.254.169.254/"}, "url"),
        ({"url": URL, "events": []}, "events"),
        ({"url": URL, "events": ["budget.gone"]}, "events"),
        ({"url": URL, "secret": "mine"}, "secret"),
    ],
)
def test_what_is_wrong_is_named(admin_api, body, field):
    response = admin_api.post("/webhooks", body)

    assert refusal(response) == (422, "invalid")
    assert field in str(response.json()["error"]["details"])


def test_it_needs_an_admins_key(api):
    webhook = create_webhook(agent=None, url=URL)
    path = f"/webhooks/{webhook.id}"

    for response in (
        api.get("/webhooks"),
        api.post("/webhooks", {"url": URL}),
        api.patch(path, {"active": False}),
        api.delete(path),
        api.get(f"{path}/deliveries"),
        api.post(f"{path}/test"),
    ):
        assert refusal(response) == (403, "forbidden")


def test_an_agents_key_sees_and_makes_its_own(own_admin, stranger):
    others = [create_webhook(agent=each, url=URL) for each in (None, stranger)]

    made = own_admin.post("/webhooks", {"url": URL}).json()

    assert made["agent"] == "support"
    assert [item["id"] for item in walk(own_admin, "/webhooks")] == [made["id"]]
    for webhook in others:
        path = f"/webhooks/{webhook.id}"
        delivery = send_test(webhook=webhook).id
        for response in (
            own_admin.patch(path, {"active": False}),
            own_admin.delete(path),
            own_admin.get(f"{path}/deliveries"),
            own_admin.post(f"{path}/test"),
            own_admin.post(f"{path}/deliveries/{delivery}/retry"),
            own_admin.post(f"/webhooks/{made['id']}/deliveries/{delivery}/retry"),
        ):
            assert refusal(response) == (404, "not_found")
    taken = own_admin.post("/webhooks", {"url": URL, "agent": "stranger"})
    assert refusal(taken) == (404, "not_found")
    assert Delivery.objects.count() == 2
