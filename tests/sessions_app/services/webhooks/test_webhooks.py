from __future__ import annotations

import pytest

from sessions_app.errors import Invalid
from sessions_app.models import Webhook
from sessions_app.services.webhooks import check_url, create_webhook, update_webhook

URL = "https://hooks.example.org/x?y=1"


@pytest.mark.parametrize(
    "url",
    [
        URL,
        "http://localhost:8080",
        "http://192.168.1.5/hook",
        "http://10.0.0.1:9000/",
        "http://[::1]:80/",
        "http://[fd00::1]/",
        "http://internal-host/hook",
    ],
)
def test_private_hosts_are_taken(url):
    assert check_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://example.org/",
        "file:///etc/passwd",
        "example.org/hook",
        "http://",
        "http:///path",
        "http://example.org:0/",
        "http://example.org:99999/",
        "http://[::1/",
        "http://user:password@example.org/",
        "http://example.org/a b",
        "http://example.org/\n",
        "http://example.org/" + "x" * 2000,
        "http://169.254.169.254/latest/meta-data",
        "http://169.254.0.1:8080/",
        "http://[fe80::1]/",
        "http://[fe80::1%25eth0]/",
        "http://[febf::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://224.0.0.1/",
    ],
)
def test_other_addresses_are_refused(url):
    with pytest.raises(Invalid) as refusal:
        check_url(url)

    assert refusal.value.details == {"field": "url"}


def test_it_has_a_secret_of_its_own(db):
    one, other = (create_webhook(agent=None, url=URL) for _ in range(2))

    assert one.secret.startswith("whsec_")
    assert len(one.secret) > 40
    assert one.secret != other.secret


def test_events_are_chosen(db):
    every = create_webhook(agent=None, url=URL)
    some = create_webhook(agent=None, url=URL, events=["budget.exceeded"] * 2)

    assert every.events == [event.value for event in Webhook.Event]
    assert some.events == ["budget.exceeded"]


@pytest.mark.parametrize("events", [[], ["budget.gone"], ["webhook.test"]])
def test_unknown_events_are_refused(db, events):
    webhook = create_webhook(agent=None, url=URL)

    for act in (
        lambda: create_webhook(agent=None, url=URL, events=events),
        lambda: update_webhook(webhook=webhook, events=events),
    ):
        with pytest.raises(Invalid) as refusal:
            act()
        assert refusal.value.details == {"field": "events"}


def test_update(db):
    webhook = create_webhook(agent=None, url=URL)

    update_webhook(webhook=webhook, url="http://b/", active=False)

    webhook.refresh_from_db()
    assert (webhook.url, webhook.active) == ("http://b/", False)
    with pytest.raises(Invalid):
        update_webhook(webhook=webhook, url="b")
