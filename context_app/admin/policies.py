from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin

from context_app.models import AgentPolicy
from context_app.services.policies import set_policy
from sessions_app.admin.confirming import Going, Removal, foresee_cascade
from sessions_app.admin.forms import ServiceForm
from sessions_app.admin.pages import WritingAdmin

FIELDS = ("agent", "scan", "usage_in_headers", "session_search")


class PolicyForm(ServiceForm[AgentPolicy]):
    class Meta:
        model = AgentPolicy
        fields = FIELDS


@admin.register(AgentPolicy)
class PolicyAdmin(WritingAdmin[AgentPolicy]):
    form = PolicyForm
    list_display = FIELDS
    list_filter = ("scan",)
    list_select_related = ("agent",)
    search_fields = ("agent__name",)
    autocomplete_fields = ("agent",)
    ordering = ("agent__name", "id")

    def create(self, form: Any) -> AgentPolicy:
        return set_policy(**form.cleaned_data)

    def update(self, obj: AgentPolicy, form: Any) -> None:
        set_policy(**{"agent": obj.agent, **form.changes()})

    def removal(self) -> Removal[AgentPolicy]:
        return Removal(foresee, delete)


def foresee(chosen: Sequence[AgentPolicy]) -> Going:
    going = foresee_cascade(chosen)
    going.notes.append("The agents have the defaults then.")
    return going


def delete(chosen: Sequence[AgentPolicy]) -> None:
    for policy in chosen:
        policy.delete()
