"""Webhooks, what they were told, and what did not arrive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.cache import patch_cache_control

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast, warn
from sessions_app.dash.reading import row_key, whole
from sessions_app.errors import Conflict, Invalid, NotFound
from sessions_app.models import Agent, Delivery, Webhook
from sessions_app.services.registry.agents import get_agent
from sessions_app.services.webhooks import (
    create_webhook,
    delete_webhook,
    send_test,
    update_webhook,
    webhooks_of,
)
from sessions_app.services.webhooks.deliveries import retry

NEWEST = 50


@page(Role.ADMIN, nav="operations")
def webhooks(request: PageRequest) -> HttpResponse:
    """List the webhooks; a POST makes one, and shows its secret this once."""
    if request.method != "POST":
        return _list(request, form={"events": [event.value for event in Webhook.Event]})
    events = request.POST.getlist("events")
    name = request.POST.get("agent", "")
    try:
        made = create_webhook(
            agent=get_agent(name) if name else None,
            url=request.POST.get("url", "").strip(),
            events=events,
        )
    except (Invalid, NotFound) as error:
        form = {**request.POST.dict(), "events": events}
        return _list(request, form=form, error=error)
    response = _list(request, form={"events": events}, made=made)
    patch_cache_control(response, no_store=True, private=True)
    return response


@page(Role.ADMIN, nav="operations")
def webhook(request: PageRequest, pk: int) -> HttpResponse:
    """Show what a webhook was told, the newest first; a POST acts on it."""
    found = _find(pk)
    if request.method == "POST":
        return _act(request, found, request.POST.get("act", ""))
    before = row_key(request.GET.get("before", ""))
    deliveries = found.deliveries.order_by("-id")
    if before is not None:
        deliveries = deliveries.filter(id__lt=before)
    rows = list(deliveries[: NEWEST + 1])
    context = {
        "webhook": found,
        "rows": rows[:NEWEST],
        "older": rows[NEWEST - 1].pk if len(rows) > NEWEST else None,
    }
    return show(request, "webhooks/webhook.html", context)


def _act(request: PageRequest, found: Webhook, act: str) -> HttpResponse:
    if act == "delete":
        delete_webhook(webhook=found)
        toast(request, f"Webhook to {found.url} deleted")
        return go(request, reverse("webhooks"))
    if act == "test":
        send_test(webhook=found)
        toast(request, "A test event is on its way")
    elif act in ("on", "off"):
        update_webhook(webhook=found, active=act == "on")
        toast(request, f"Webhook switched {act}")
    elif act.startswith("retry-"):
        _retry(request, found, act.removeprefix("retry-"))
    return go(request, reverse("webhook", args=[found.pk]))


def _retry(request: PageRequest, found: Webhook, delivery: str) -> None:
    pk = whole(delivery, "act")
    row = Delivery.objects.filter(webhook=found, pk=pk).first()
    if row is None:
        raise Http404("There is no such delivery.")
    try:
        retry(delivery=row)
    except Conflict as error:
        warn(request, error)
    else:
        toast(request, f"Delivery {row.pk} is sent again")


def _list(
    request: PageRequest,
    *,
    form: Mapping[str, Any],
    made: Webhook | None = None,
    error: Invalid | NotFound | None = None,
) -> HttpResponse:
    rows = list(webhooks_of(None).order_by("id"))
    failed = Delivery.objects.filter(state=Delivery.State.FAILED)
    context = {
        "rows": rows,
        "failed": set(failed.values_list("webhook", flat=True)),
        "form": form,
        "made": made,
        "error": error,
        "events": Webhook.Event.values,
        "agents": Agent.objects.order_by("name").values_list("name", flat=True)[:500],
    }
    status = status_of(error) if error else 200
    return show(request, "webhooks/webhooks.html", context, status=status)


def _find(pk: int) -> Webhook:
    found = webhooks_of(None).filter(pk=pk).first()
    if found is None:
        raise Http404(f"There is no webhook {pk}.")
    return found
