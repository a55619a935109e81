"""Webhooks, and what was sent to them."""

from __future__ import annotations

from typing import Any, Literal

import orjson
from ninja import Query, Router, Schema, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest, KeyAuth, Scope
from sessions_app.api.budgets import own_agent
from sessions_app.api.fields import Body, Id, Metadata, Moment, RowId
from sessions_app.api.lookups import named_agent
from sessions_app.api.pagination import Page, page_of
from sessions_app.errors import NotFound
from sessions_app.models import Delivery, Webhook
from sessions_app.services import webhooks
from sessions_app.services.webhooks import deliveries

router = Router(tags=["webhooks"], auth=KeyAuth(Scope.ADMIN))

Events = list[Literal["budget.warning", "budget.exceeded", "compaction.failed"]]


class WebhookIn(Body):
    url: str = Field(max_length=2000)
    events: Events | None = Field(None, description="Left out: all there are")
    agent: Id | None = Field(None, description="Left out: all agents")
    active: bool = True


class WebhookPatch(Body):
    url: str = Field("", max_length=2000)
    events: Events = []
    active: bool = True


class WebhookOut(Schema):
    id: int
    url: str
    events: list[str]
    agent: str | None
    active: bool
    created_at: Moment


class NewWebhookOut(WebhookOut):
    secret: str = Field(description="Shown this once")


class WebhookList(Schema):
    items: list[WebhookOut]
    next: str | None


class DeliveryOut(Schema):
    id: int
    event: str
    payload: Metadata
    state: Literal["pending", "delivered", "failed"]
    attempts: int
    next_try_at: Moment | None
    status: int | None
    error: str
    created_at: Moment
    delivered_at: Moment | None


class DeliveryList(Schema):
    items: list[DeliveryOut]
    next: str | None


@router.get("", response=WebhookList, summary="List the webhooks")
def list_webhooks(request: ApiRequest, page: Query[Page]) -> dict[str, Any]:
    """Without their secrets, the oldest first. An agent's key sees its agent's."""
    shown, following = page_of(webhooks.webhooks_of(own_agent(request)), page)
    return {"items": [shape(each) for each in shown], "next": following}


@router.post("", response={201: NewWebhookOut}, summary="Make a webhook")
def make_webhook(request: ApiRequest, body: WebhookIn) -> Status[dict[str, Any]]:
    """The answer is the only time that its `secret` is shown."""
    named = body.agent is not None or request.auth.agent_id is not None
    webhook = webhooks.create_webhook(
        agent=named_agent(request, body.agent) if named else None,
        url=body.url,
        events=body.events,
        active=body.active,
    )
    return Status(201, {**shape(webhook), "secret": webhook.secret})


@router.patch("/{id}", response=WebhookOut, summary="Change a webhook")
def patch_webhook(request: ApiRequest, id: RowId, body: WebhookPatch) -> dict[str, Any]:
    """Change the fields that are given."""
    found = get_webhook(request, id)
    changes = body.model_dump(exclude_unset=True)
    return shape(webhooks.update_webhook(webhook=found, **changes))


@router.delete("/{id}", response={204: None}, summary="Delete a webhook")
def remove_webhook(request: ApiRequest, id: RowId) -> Status[None]:
    """With its deliveries; those that wait are not sent."""
    webhooks.delete_webhook(webhook=get_webhook(request, id))
    return Status(204, None)


@router.post("/{id}/test", response={202: DeliveryOut}, summary="Test a webhook")
def test_webhook(request: ApiRequest, id: RowId) -> Status[dict[str, Any]]:
    """Send it `webhook.test`; the deliveries show what became of it."""
    delivery = webhooks.send_test(webhook=get_webhook(request, id))
    return Status(202, delivery_shape(delivery))


@router.get("/{id}/deliveries", response=DeliveryList, summary="List deliveries")
def list_deliveries(
    request: ApiRequest, id: RowId, page: Query[Page]
) -> dict[str, Any]:
    """What was sent, or is to be, the newest first; for a month."""
    rows = get_webhook(request, id).deliveries.all()
    shown, following = page_of(rows, page, newest_first=True)
    return {"items": [delivery_shape(each) for each in shown], "next": following}


@router.post(
    "/{id}/deliveries/{delivery}/retry",
    response={202: DeliveryOut},
    summary="Send a delivery again",
)
def retry_delivery(
    request: ApiRequest, id: RowId, delivery: RowId
) -> Status[dict[str, Any]]:
    """Now, and as often as a new one. One that has arrived: 409 `already_delivered`."""
    found = get_webhook(request, id).deliveries.filter(id=delivery).first()
    if found is None:
        raise NotFound(f"No delivery {delivery}")
    return Status(202, delivery_shape(deliveries.retry(delivery=found)))


def get_webhook(request: ApiRequest, id: int) -> Webhook:
    """
    :raises NotFound: if there is none, or it is another agent's
    """
    found = webhooks.webhooks_of(own_agent(request)).filter(id=id).first()
    if found is None:
        raise NotFound(f"No webhook {id}")
    return found


def shape(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": webhook.events,
        "agent": webhook.agent and webhook.agent.name,
        "active": webhook.active,
        "created_at": webhook.created_at,
    }


def delivery_shape(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "event": delivery.event,
        "payload": orjson.loads(delivery.payload),
        "state": delivery.state,
        "attempts": delivery.attempts,
        "next_try_at": delivery.next_try_at,
        "status": delivery.status,
        "error": delivery.error,
        "created_at": delivery.created_at,
        "delivered_at": delivery.delivered_at,
    }
