from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin

from sessions_app.admin.columns import list_link, together
from sessions_app.admin.confirming import Going, Removal, foresee_cascade
from sessions_app.admin.forms import MetadataForm, clean_word
from sessions_app.admin.pages import WritingAdmin
from sessions_app.models import Agent, ApiKey, Message, Session, Usage
from sessions_app.services.registry import agents


class AgentForm(MetadataForm[Agent]):
    class Meta:
        model = Agent
        fields = ("name", "description", "compact_after", "metadata")

    def clean_name(self) -> str:
        return clean_word(self.cleaned_data["name"], "name")


@admin.register(Agent)
class AgentAdmin(WritingAdmin[Agent]):
    form = AgentForm
    list_display = ("name", "description", "compact_after", "rows", "created_at")
    list_filter = (("compact_after", admin.EmptyFieldListFilter),)
    search_fields = ("name", "description")
    ordering = ("name", "id")
    fields = (*AgentForm.Meta.fields, "rows", "created_at")
    readonly_fields = ("rows", "created_at")

    @admin.display(description="What it has")
    def rows(self, agent: Agent) -> str:
        models = {"Sessions": Session, "Usage": Usage, "Keys": ApiKey}
        return together(
            list_link(model, text, agent=agent.pk) for text, model in models.items()
        )

    def create(self, form: Any) -> Agent:
        return agents.create_agent(**form.cleaned_data)

    def update(self, obj: Agent, form: Any) -> None:
        agents.update_agent(agent=obj, **form.changes())

    def removal(self) -> Removal[Agent]:
        return Removal(foresee, delete)


def foresee(chosen: Sequence[Agent]) -> Going:
    going = foresee_cascade(chosen)
    going.add(Message, Message.objects.filter(session__agent__in=chosen).count())
    return going


def delete(chosen: Sequence[Agent]) -> None:
    for agent in chosen:
        agents.delete_agent(agent=agent)
