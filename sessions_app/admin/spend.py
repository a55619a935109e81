"""The sums over the ledger, which its triggers keep."""

from __future__ import annotations

from datetime import date
from typing import TypeVar

from django.contrib import admin

from sessions_app.admin.columns import dollars
from sessions_app.admin.filters import AgentFilter, SessionFilter
from sessions_app.admin.pages import LookingAdmin
from sessions_app.models import SessionDay, UsageDay
from sessions_app.models.fields import from_millis
from sessions_app.models.spend import Sums
from sessions_app.services.spend.groups import DAY
from sessions_app.services.spend.usage import BUCKETS

S = TypeVar("S", bound=Sums)

SUMS = ("calls", *BUCKETS, "cost", "unpriced")


class SumsAdmin(LookingAdmin[S]):
    @admin.display(description="day", ordering="day")
    def date(self, sums: UsageDay | SessionDay) -> date:
        return from_millis(sums.day * DAY).date()

    @admin.display(ordering="cost_nanos")
    def cost(self, sums: Sums) -> str:
        return dollars(sums.cost_nanos if sums.calls > sums.unpriced else None)

    @admin.display(description="by our prices", ordering="computed_nanos")
    def computed(self, sums: Sums) -> str:
        return dollars(sums.computed_nanos)


@admin.register(UsageDay)
class UsageDayAdmin(SumsAdmin[UsageDay]):
    list_display = ("date", "agent", "provider", "model", "purpose", *SUMS)
    list_filter = (AgentFilter,)
    list_select_related = ("agent",)
    search_fields = ("model", "provider", "purpose")
    ordering = ("-day", "-id")
    fields = (
        "date", "agent", "provider", "model", "purpose", "key", *SUMS, "computed"
    )  # fmt: skip
    readonly_fields = ("date", "cost", "computed")


@admin.register(SessionDay)
class SessionDayAdmin(SumsAdmin[SessionDay]):
    list_display = ("date", "agent", "session", "imported", *SUMS)
    list_filter = (AgentFilter, SessionFilter)
    list_select_related = ("agent", "session")
    search_fields = ("=session__key",)
    ordering = ("-day", "-id")
    fields = ("date", "agent", "session", "imported", *SUMS, "computed")
    readonly_fields = ("date", "cost", "computed")
