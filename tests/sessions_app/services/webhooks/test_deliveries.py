"""Webhooks against a real HTTP server on this machine."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import socket
import threading
import time
from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.models import Delivery, Job
from sessions_app.services.registry.purging import purge_deliveries
from sessions_app.services.webhooks import (
    create_webhook,
    delete_webhook,
    posting,
    send_test,
    update_webhook,
)
from sessions_app.services.webhooks.deliveries import (
    WAITS,
    AlreadyDelivered,
    retry,
    send_delivery,
)
from tests.budgeting import limit, spend
from tests.webhook_server import let_time_pass, send_all, webhook_server

pytestmark = pytest.mark.django_db


def deliver_to(url):
    """Send a test to a new webhook, and return what became of it."""
    delivery = send_test(webhook=create_webhook(agent=None, url=url))
    send_all()
    delivery.refresh_from_db()
    return delivery


def test_it_works(session):
    limit("1")
    with webhook_server() as server:
        webhook = create_webhook(agent=session.agent, url=server.url)
        of_all = create_webhook(agent=None, url=server.url)
        spend(session, "1")
        assert server.received == []

        assert send_all() == 1

    (request,) = server.received
    delivery = Delivery.objects.get()
    assert delivery.webhook == of_all
    assert webhook.deliveries.count() == 0
    assert (delivery.state, delivery.status, delivery.error) == ("delivered", 200, "")
    assert (delivery.attempts, delivery.next_try_at) == (1, None)
    assert delivery.delivered_at
    assert request.path == "/hook?from=hub"
    assert request.headers["MemoryHub-Event"] == "budget.exceeded"
    assert request.headers["MemoryHub-Delivery"] == str(delivery.id)
    assert request.headers["Content-Type"] == "application/json"
    assert request.body.decode() == delivery.payload
    assert json.loads(request.body)["budget"]["state"] == "over"


def test_the_receiver_can_check_who_sent_it():
    with webhook_server() as server:
        webhook = create_webhook(agent=None, url=server.url)
        send_test(webhook=webhook)
        send_all()

    (request,) = server.received
    moment, signature = request.headers["MemoryHub-Signature"].split(",")
    seconds = moment.removeprefix("t=")
    expected = hmac.new(
        webhook.secret.encode(), seconds.encode() + b"." + request.body, hashlib.sha256
    )
    assert signature == f"v1={expected.hexdigest()}"
    assert abs(time.time() - int(seconds)) < 60


def test_what_fails_is_tried_again():
    with webhook_server(500, 200) as server:
        delivery = deliver_to(server.url)
        assert (delivery.state, delivery.status) == ("pending", 500)
        assert delivery.error == "Answered 500"
        assert send_all() == 0

        let_time_pass()
        assert send_all() == 1

    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.error) == ("delivered", 2, "")
    assert len(server.received) == 2
    assert (
        len({request.headers["MemoryHub-Delivery"] for request in server.received}) == 1
    )


def test_at_last_it_gives_up_and_an_operator_may_begin_anew():
    with webhook_server(503) as server:
        delivery = deliver_to(server.url)
        for _ in range(20):
            let_time_pass()
            send_all()
        delivery.refresh_from_db()
        assert (delivery.state, delivery.attempts) == ("failed", 8)
        assert len(server.received) == 8

        retry(delivery=delivery)
        assert (delivery.state, delivery.attempts) == ("pending", 0)
        send_all()

    assert len(server.received) == 9
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("pending", 1)


def test_it_waits_longer_each_time():
    assert list(WAITS) == sorted(WAITS)
    assert 23 * 3600 < sum(wait.total_seconds() for wait in WAITS) < 25 * 3600

    with webhook_server(500) as server:
        delivery = deliver_to(server.url)

    assert delivery.next_try_at - delivery.created_at >= WAITS[0]
    assert Job.objects.unfinished().get().run_after == delivery.next_try_at


def test_what_has_arrived_is_not_sent_again():
    with webhook_server() as server:
        delivery = deliver_to(server.url)
        send_delivery(delivery=delivery.id)

        with pytest.raises(AlreadyDelivered):
            retry(delivery=delivery)

    assert len(server.received) == 1


def test_a_job_that_runs_twice_sends_once():
    with webhook_server(500) as server:
        delivery = deliver_to(server.url)
        send_delivery(delivery=delivery.id)

    assert len(server.received) == 1


def test_who_does_not_answer(monkeypatch):
    monkeypatch.setattr(posting, "TIMEOUT", 0.3)
    began = time.monotonic()

    with webhook_server(5.0) as server:
        delivery = deliver_to(server.url)

    assert time.monotonic() - began < 3
    assert (delivery.state, delivery.status) == ("pending", None)
    assert delivery.error == "No answer within 0.3 seconds"


def test_who_answers_too_slowly(monkeypatch):
    """Each piece comes in time, and the answer does not."""
    monkeypatch.setattr(posting, "TIMEOUT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip():
            other, _ = listener.accept()
            with other:
                try:
                    for byte in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100:
                        other.sendall(bytes([byte]))
                        time.sleep(0.1)
                except OSError:
                    pass

        thread = threading.Thread(target=drip)
        thread.start()
        began = time.monotonic()
        delivery = deliver_to(f"http://127.0.0.1:{listener.getsockname()[1]}/")
        took = time.monotonic() - began
        thread.join()

    assert took < 8
    assert delivery.error == "No answer within 0.5 seconds"


def test_redirects_are_not_followed():
    with webhook_server(302) as server:
        delivery = deliver_to(server.url)

    assert len(server.received) == 1
    assert (delivery.state, delivery.status) == ("pending", 302)
    assert delivery.error == "Answered 302: redirects are not followed"


def test_a_host_that_is_dead_or_unknown():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    dead = deliver_to(f"http://127.0.0.1:{port}/")
    unknown = deliver_to("http://nobody.invalid/")

    assert (dead.state, dead.status) == ("pending", None)
    assert dead.error
    assert unknown.error == "The host is not known"


@pytest.mark.parametrize(
    "url",
    [
        # Two ways to write 169.254.169.254 that only the resolver sees through.
        "http://2852039166/latest",
        "http://0xa9fea9fe/latest",
    ],
)
def test_a_name_that_leads_to_a_link_local_address_is_not_called(url):
    delivery = deliver_to(url)

    assert delivery.error == "The host has a link-local address, which is refused"


def test_a_name_is_called_with_its_own_name():
    with webhook_server() as server:
        url = server.url.replace("127.0.0.1", "localhost")
        delivery = deliver_to(url)

    assert delivery.state == "delivered"
    (request,) = server.received
    assert request.headers["Host"] == url.split("/")[2]


def test_one_that_is_off_gets_nothing_more():
    with webhook_server() as server:
        webhook = create_webhook(agent=None, url=server.url)
        delivery = send_test(webhook=webhook)
        update_webhook(webhook=webhook, active=False)
        send_all()

    delivery.refresh_from_db()
    assert (delivery.state, delivery.error) == ("failed", "The webhook is switched off")
    assert server.received == []


def test_one_that_is_gone_leaves_nothing_behind():
    webhook = create_webhook(agent=None, url="http://127.0.0.1:9/")
    send_test(webhook=webhook)

    delete_webhook(webhook=webhook)

    assert send_all() == 1
    assert not Delivery.objects.exists()
    assert Job.objects.get().error == ""


def test_what_is_a_month_old_goes():
    webhook = create_webhook(agent=None, url="http://127.0.0.1:9/")
    old, young = (send_test(webhook=webhook) for _ in range(2))
    Delivery.objects.filter(id=old.id).update(created_at=now() - timedelta(days=31))

    assert purge_deliveries() == 1

    assert Delivery.objects.get() == young


def test_the_secret_is_in_no_log(caplog):
    caplog.set_level(logging.DEBUG)
    with webhook_server(500) as server:
        webhook = create_webhook(agent=None, url=server.url)
        delivery = send_test(webhook=webhook)
        send_all()

    delivery.refresh_from_db()
    assert webhook.secret not in caplog.text + delivery.error + delivery.payload
    assert webhook.secret not in str(Job.objects.values_list())
