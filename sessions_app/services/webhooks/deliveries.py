"""
The outbox: events on their way to webhooks, sent by jobs, and sent again.

A receiver may be sent an event twice (a worker may be killed between the answer and
the note of it), and knows it by the delivery's id.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
from django.db import transaction
from django.db.models import F
from django.utils.timezone import now

from sessions_app.errors import Conflict
from sessions_app.models import Delivery, Webhook
from sessions_app.models.fields import now_millis
from sessions_app.services.jobs import enqueue, job
from sessions_app.services.webhooks.posting import Unreachable, post, sign
from sessions_app.times import isoformat

State = Delivery.State

# How long to wait after each failure: the eighth try comes a day after the first.
WAITS = (
    timedelta(seconds=30),
    timedelta(minutes=2),
    timedelta(minutes=10),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=15),
)
# How long one who sends may take before another worker may.
CLAIM = timedelta(minutes=1)


class AlreadyDelivered(Conflict):
    code = "already_delivered"


def put_in_outbox(webhook: Webhook, event: str, content: dict[str, Any]) -> Delivery:
    """Write down what is to be sent, and the job to send it, in one transaction."""
    at = now()
    payload = {"event": event, "created_at": isoformat(at), **content}
    delivery = Delivery.objects.create(
        webhook=webhook,
        event=event,
        payload=orjson.dumps(payload).decode(),
        next_try_at=at,
        created_at=at,
    )
    enqueue(send_delivery, run_after=at, delivery=delivery.id)
    return delivery


@transaction.atomic
def retry(*, delivery: Delivery) -> Delivery:
    """
    Send a delivery again, now, and as often as a new one.

    :raises AlreadyDelivered: if it has arrived
    """
    at = now()
    undelivered = Delivery.objects.filter(id=delivery.id).exclude(state=State.DELIVERED)
    if not undelivered.update(state=State.PENDING, attempts=0, next_try_at=at):
        raise AlreadyDelivered(f"Delivery {delivery.id} has arrived already")
    enqueue(send_delivery, run_after=at, delivery=delivery.id)
    delivery.refresh_from_db()
    return delivery


@job
def send_delivery(*, delivery: int) -> None:
    """Try once to send a delivery, if it is its time; what fails gets another job."""
    claimed = _claim(delivery)
    if claimed is None:
        return
    webhook = claimed.webhook
    if not webhook.active:
        _note(claimed, state=State.FAILED, error="The webhook is switched off")
        return
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "MemoryHub",
        "MemoryHub-Event": claimed.event,
        "MemoryHub-Delivery": str(claimed.id),
        "MemoryHub-Signature": sign(
            webhook.secret, now_millis() // 1000, claimed.payload
        ),
    }
    try:
        status = post(webhook.url, claimed.payload, headers)
    except Unreachable as error:
        _note_failure(claimed, status=None, error=str(error))
        return
    if 200 <= status < 300:
        _note(
            claimed, state=State.DELIVERED, status=status, error="", delivered_at=now()
        )
    else:
        redirected = ": redirects are not followed" if 300 <= status < 400 else ""
        _note_failure(claimed, status=status, error=f"Answered {status}{redirected}")


def _claim(delivery: int) -> Delivery | None:
    """Return a delivery that is due, as ours for a while, or None."""
    at = now()
    due = Delivery.objects.filter(
        id=delivery, state=State.PENDING, next_try_at__lte=at
    ).select_related("webhook")
    found = due.first()
    if found is None:
        return None
    with transaction.atomic():
        taken = Delivery.objects.filter(
            id=found.id,
            state=State.PENDING,
            attempts=found.attempts,
            next_try_at=found.next_try_at,
        ).update(attempts=F("attempts") + 1, next_try_at=at + CLAIM)
    found.attempts += 1
    return found if taken else None


@transaction.atomic
def _note_failure(delivery: Delivery, *, status: int | None, error: str) -> None:
    if delivery.attempts > len(WAITS):
        _note(delivery, state=State.FAILED, status=status, error=error)
        return
    next_try_at = now() + WAITS[delivery.attempts - 1]
    if _note(
        delivery,
        state=State.PENDING,
        status=status,
        error=error,
        next_try_at=next_try_at,
    ):
        enqueue(send_delivery, run_after=next_try_at, delivery=delivery.id)


@transaction.atomic
def _note(delivery: Delivery, **changes: Any) -> bool:
    """Write down how a try ended, unless it was started anew meanwhile."""
    ours = Delivery.objects.filter(
        id=delivery.id, state=State.PENDING, attempts=delivery.attempts
    )
    return bool(ours.update(**{"next_try_at": None, **changes}))
