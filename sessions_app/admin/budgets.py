from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from sessions_app.admin.columns import dollars
from sessions_app.admin.confirming import Removal, foresee_cascade
from sessions_app.admin.filters import AgentFilter, ConditionFilter, SessionFilter
from sessions_app.admin.forms import ServiceForm
from sessions_app.admin.pages import WritingAdmin
from sessions_app.models import Budget
from sessions_app.services.spend import budget_changes
from sessions_app.services.spend.budgets import covers, state_of, with_names
from sessions_app.services.spend.usage import NANOS

COVERED = ("agent", "session", "key")


class BudgetForm(ServiceForm[Budget]):
    limit = forms.DecimalField(
        label="Limit in US dollars",
        max_digits=19,
        decimal_places=9,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    unchecked = frozenset(COVERED)

    class Meta:
        model = Budget
        fields = ("name", *COVERED, "period", "hard", "warn_at", "active", "note")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial["limit"] = Decimal(self.instance.limit_nanos) / NANOS


class HardFilter(ConditionFilter):
    title = "hardness"
    parameter_name = "hard"

    def conditions(self) -> Mapping[str, Q]:
        return {"hard": Q(hard=True), "soft": Q(hard=False)}


@admin.register(Budget)
class BudgetAdmin(WritingAdmin[Budget]):
    form = BudgetForm
    list_display = ("id", "name", "covered", "period", "limit", "hard", "active")
    list_filter = (HardFilter, "period", "active", AgentFilter, SessionFilter)
    search_fields = ("name", "note", "agent__name", "=session__key", "=key__prefix")
    search_help_text = "A name, a note or an agent; a whole session id or key prefix"
    autocomplete_fields = COVERED
    ordering = ("id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Budget]:
        return with_names()

    def get_fields(
        self, request: HttpRequest, obj: Budget | None = None
    ) -> tuple[str, ...]:
        may_change = obj is None or self.has_change_permission(request, obj)
        shown = "limit" if may_change else "limit_shown"
        rest = ("period", shown, "hard", "warn_at", "active", "note")
        if obj is None:
            return ("name", *COVERED, *rest)
        return ("name", *COVERED, *rest, "spent", "state", "created_at")

    def get_readonly_fields(
        self, request: HttpRequest, obj: Budget | None = None
    ) -> tuple[str, ...]:
        shown = ("limit_shown", "spent", "state", "created_at")
        return shown if obj is None else (*COVERED, *shown)

    @admin.display(description="covers")
    def covered(self, budget: Budget) -> str:
        found = covers(budget)
        return " ".join(word for word in (found["kind"], found["name"]) if word)

    @admin.display(ordering="limit_nanos")
    def limit(self, budget: Budget) -> str:
        return dollars(budget.limit_nanos)

    @admin.display(description="limit")
    def limit_shown(self, budget: Budget) -> str:
        return dollars(budget.limit_nanos)

    @admin.display
    def spent(self, budget: Budget) -> str:
        standing = state_of(budget)
        unpriced = f" and {standing.unpriced:,} unpriced" if standing.unpriced else ""
        return dollars(standing.spent) + unpriced

    @admin.display
    def state(self, budget: Budget) -> str:
        return state_of(budget).state.value

    def create(self, form: Any) -> Budget:
        return budget_changes.create_budget(**form.cleaned_data)

    def update(self, obj: Budget, form: Any) -> None:
        budget_changes.update_budget(budget=obj, **form.changes())

    def removal(self) -> Removal[Budget]:
        return Removal(foresee_cascade, delete)


def delete(chosen: Sequence[Budget]) -> None:
    for budget in chosen:
        budget_changes.delete_budget(budget=budget)
