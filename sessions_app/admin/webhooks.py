from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from sessions_app.admin.columns import link, list_link, pretty_json
from sessions_app.admin.confirming import Removal, foresee_cascade
from sessions_app.admin.filters import AgentFilter, RowFilter
from sessions_app.admin.forms import ServiceForm
from sessions_app.admin.pages import LookingAdmin, WritingAdmin
from sessions_app.errors import Conflict
from sessions_app.models import Delivery, Webhook
from sessions_app.services import webhooks
from sessions_app.services.webhooks import deliveries

SHOWN_ONCE = "The secret is <code>{}</code>. Copy it now: it is not shown again."


class WebhookForm(ServiceForm[Webhook]):
    events = forms.MultipleChoiceField(
        choices=Webhook.Event.choices, widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = Webhook
        fields = ("agent", "url", "events", "active")


@admin.register(Webhook)
class WebhookAdmin(WritingAdmin[Webhook]):
    """Their secrets are shown when they are made, and never again."""

    form = WebhookForm
    list_display = ("id", "url", "agent", "events_told", "active", "sent", "created_at")
    list_filter = ("active", AgentFilter)
    list_select_related = ("agent",)
    search_fields = ("url", "agent__name")
    autocomplete_fields = ("agent",)
    ordering = ("id",)

    def get_fields(
        self, request: HttpRequest, obj: Webhook | None = None
    ) -> tuple[str, ...]:
        made = WebhookForm.Meta.fields
        return made if obj is None else (*made, "sent", "created_at")

    def get_readonly_fields(
        self, request: HttpRequest, obj: Webhook | None = None
    ) -> tuple[str, ...]:
        return () if obj is None else ("agent", "sent", "created_at")

    @admin.display(description="events")
    def events_told(self, webhook: Webhook) -> str:
        return ", ".join(webhook.events)

    @admin.display(description="what was sent")
    def sent(self, webhook: Webhook) -> str:
        return list_link(Delivery, "Deliveries", webhook=webhook.pk)

    def create(self, form: Any) -> Webhook:
        webhook = webhooks.create_webhook(**form.cleaned_data)
        # It goes along with the form to the message, and nowhere else.
        form.secret = webhook.secret
        return webhook

    def update(self, obj: Webhook, form: Any) -> None:
        webhooks.update_webhook(webhook=obj, **form.changes())

    def save_model(
        self, request: HttpRequest, obj: Webhook, form: Any, change: Any
    ) -> None:
        super().save_model(request, obj, form, change)
        if not change:
            obj.refresh_from_db()
            shown = format_html(SHOWN_ONCE, form.secret)
            self.message_user(request, shown, messages.WARNING)

    def removal(self) -> Removal[Webhook]:
        return Removal(foresee_cascade, delete)


def delete(chosen: Sequence[Webhook]) -> None:
    for webhook in chosen:
        webhooks.delete_webhook(webhook=webhook)


class WebhookFilter(RowFilter):
    title = "webhook"
    parameter_name = "webhook"
    model = Webhook


@admin.register(Delivery)
class DeliveryAdmin(LookingAdmin[Delivery]):
    """The outbox."""

    list_display = (
        "id", "webhook", "event", "state", "attempts", "status", "error", "created_at"
    )  # fmt: skip
    list_filter = ("state", WebhookFilter)
    list_select_related = ("webhook",)
    search_fields = ("event", "error", "webhook__url")
    ordering = ("-id",)
    actions = ("send_again",)
    fields = (
        "webhook_link", "event", "state", "attempts", "next_try_at", "status", "error",
        "created_at", "delivered_at", "body",
    )  # fmt: skip
    readonly_fields = ("webhook_link", "body")

    @admin.display(description="webhook")
    def webhook_link(self, delivery: Delivery) -> str:
        return link(delivery.webhook)

    @admin.display
    def body(self, delivery: Delivery) -> str:
        return pretty_json(delivery.payload)

    def has_send_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("sessions_app.change_delivery")

    @admin.action(permissions=["send"], description="Send selected deliveries again")
    def send_again(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        for delivery in queryset:
            try:
                deliveries.retry(delivery=delivery)
            except Conflict as refusal:
                self.message_user(request, refusal.message, messages.ERROR)
            else:
                told = f"Delivery {delivery.id} will be sent."
                self.message_user(request, told, messages.SUCCESS)
