from __future__ import annotations

from collections.abc import Mapping

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from sessions_app.admin.columns import dollars, link, message_without_body, pretty_json
from sessions_app.admin.filters import AgentFilter, ConditionFilter, SessionFilter
from sessions_app.admin.pages import LookingAdmin
from sessions_app.models import Usage
from sessions_app.services.spend.usage import BUCKETS, COUNTS


class PriceFilter(ConditionFilter):
    title = "price"
    parameter_name = "price"

    def conditions(self) -> Mapping[str, Q]:
        return {"known": Q(cost_nanos__isnull=False), "unknown": Q(cost_nanos=None)}


@admin.register(Usage)
class UsageAdmin(LookingAdmin[Usage]):
    """The ledger: what is written there stays."""

    list_display = (
        "id", "created_at", "agent", "session", "model", "purpose", *BUCKETS, "cost",
        "cost_source",
    )  # fmt: skip
    list_filter = (
        ("created_at", admin.DateFieldListFilter),
        PriceFilter,
        "cost_source",
        AgentFilter,
        SessionFilter,
    )
    list_select_related = ("agent", "session")
    search_fields = ("model", "provider", "purpose", "=response_id", "=session__key")
    search_help_text = "Model, provider or purpose; a whole response id or session id"
    ordering = ("-created_at", "-id")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "agent",
                    "session",
                    "message_link",
                    "key",
                    "provider",
                    "model",
                    "purpose",
                )
            },
        ),
        ("Tokens", {"fields": COUNTS}),
        ("Cost", {"fields": ("cost", "cost_source", "computed", "rates")}),
        (
            "Call",
            {"fields": ("response_id", "latency_ms", "created_at", "as_received")},
        ),
    )
    readonly_fields = ("message_link", "cost", "computed", "rates", "as_received")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Usage]:
        return super().get_queryset(request).defer("raw")

    @admin.display(description="message")
    def message_link(self, usage: Usage) -> str:
        return link(message_without_body(usage.message_id))

    @admin.display(ordering="cost_nanos")
    def cost(self, usage: Usage) -> str:
        return dollars(usage.cost_nanos)

    @admin.display(description="by our prices")
    def computed(self, usage: Usage) -> str:
        return dollars(usage.computed_nanos)

    @admin.display
    def rates(self, usage: Usage) -> str:
        return pretty_json(usage.price_snapshot) if usage.price_snapshot else "-"

    @admin.display
    def as_received(self, usage: Usage) -> str:
        return pretty_json(usage.raw) if usage.raw else "-"
