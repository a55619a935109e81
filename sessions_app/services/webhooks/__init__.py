"""Webhooks: addresses of others, and which events each of them is told of."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import QuerySet

from sessions_app.addresses import is_refused
from sessions_app.errors import Invalid
from sessions_app.models import Agent, Delivery, Webhook
from sessions_app.services.webhooks.deliveries import put_in_outbox

PREFIX = "whsec_"
LONGEST_URL = 2000


@transaction.atomic
def create_webhook(
    *,
    agent: Agent | None,
    url: str,
    events: Sequence[str] | None = None,
    active: bool = True,
) -> Webhook:
    """
    Make a webhook, whose ``secret`` is to be shown this once.

    Without an agent it is told of all agents' events, and of those of no agent alone.

    :raises Invalid: if the url or an event is not to be taken; ``field`` says which
    """
    return Webhook.objects.create(
        agent=agent,
        url=check_url(url),
        secret=PREFIX + secrets.token_urlsafe(32),
        events=check_events(events),
        active=active,
    )


@transaction.atomic
def update_webhook(*, webhook: Webhook, **changes: Any) -> Webhook:
    """
    Change its url, events or active.

    :raises Invalid: as ``create_webhook``
    """
    if "url" in changes:
        changes["url"] = check_url(changes["url"])
    if "events" in changes:
        changes["events"] = check_events(changes["events"])
    for name, value in changes.items():
        setattr(webhook, name, value)
    webhook.save(update_fields=list(changes))
    return webhook


@transaction.atomic
def delete_webhook(*, webhook: Webhook) -> None:
    """Delete it with its deliveries, sent or not."""
    webhook.delete()


def webhooks_of(agent: Agent | None) -> QuerySet[Webhook]:
    """Return the webhooks that an agent may see; None: all."""
    seen = Webhook.objects.select_related("agent")
    return seen if agent is None else seen.filter(agent=agent)


def queue_event(event: str, *, agent: Agent | None, **content: Any) -> list[Delivery]:
    """
    Put an event into the outbox for each webhook that wants it.

    Part of the caller's transaction: where that is rolled back, nothing is sent.
    ``agent`` is whose event it is; None: of no agent alone, and for no agent's webhook.
    """
    listening = Webhook.objects.filter(active=True)
    told = listening.filter(agent=None)
    if agent is not None:
        told |= listening.filter(agent=agent)
    return [
        put_in_outbox(webhook, event, content)
        for webhook in told.order_by("id")
        if event in webhook.events
    ]


@transaction.atomic
def send_test(*, webhook: Webhook) -> Delivery:
    """Put an event into the outbox that only says that the webhook works."""
    return put_in_outbox(webhook, Delivery.TEST, {"webhook": {"id": webhook.id}})


def check_events(events: Sequence[str] | None) -> list[str]:
    """
    Return the events to be told of, each once; None stands for all there are.

    :raises Invalid: if there is none, or one is unknown
    """
    known = [event.value for event in Webhook.Event]
    if events is None:
        return known
    unknown = [event for event in events if event not in known]
    if unknown or not events:
        raise Invalid(f"events: must be some of {', '.join(known)}", field="events")
    return [event for event in known if event in events]


def check_url(url: str) -> str:
    """
    Return an address that may be called.

    Private hosts may: ours is one, and so is what it talks to. Link-local ones may
    not: they are where clouds keep a machine's credentials.

    :raises Invalid: if it may not
    """
    if len(url) > LONGEST_URL or not url.isprintable() or " " in url:
        raise _bad_url(f"must be an address of at most {LONGEST_URL} characters")
    try:
        parts = urlsplit(url)
        host = parts.hostname
        has_port = parts.port != 0
    except ValueError:
        raise _bad_url("is not an address") from None
    if parts.scheme not in ("http", "https") or not host or not has_port:
        raise _bad_url("must begin with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise _bad_url("must hold no user and no password: it is shown in lists")
    try:
        literal = ip_address(host.partition("%")[0])
    except ValueError:
        return url
    if is_refused(literal):
        raise _bad_url("is a link-local address, which is refused")
    return url


def _bad_url(reason: str) -> Invalid:
    return Invalid(f"url: {reason}", field="url")
