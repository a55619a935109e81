from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from context_app.admin.writing import SOMEBODY, OperatorAdmin
from context_app.models import Block, Entry, HeldWrite, Version
from context_app.services.blocks import update_block
from context_app.services.creating import create_block
from context_app.services.deleted_blocks import delete_block
from sessions_app.admin.columns import link, list_link
from sessions_app.admin.confirming import Going, Removal, foresee_cascade
from sessions_app.admin.filters import AgentFilter, ConditionFilter, SessionFilter
from sessions_app.admin.forms import ServiceForm

MADE_WITH = (
    "session", "agent", "shared", "label", "kind", "description", "max_tokens",
    "position", "content", "source", "storage",
)  # fmt: skip
CHANGED = ("description", "max_tokens", "position", "content")


class BlockForm(ServiceForm[Block]):
    class Meta:
        model = Block
        fields = MADE_WITH

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "position" in self.fields:
            self.fields["position"].required = False
        if self.instance._state.adding:
            self.fields["position"].help_text = "Left empty, it comes last"
            self.initial["position"] = None


class OwnerFilter(ConditionFilter):
    title = "owner"
    parameter_name = "owner"

    def conditions(self) -> Mapping[str, Q]:
        return {
            "session": Q(session__isnull=False),
            "shared": Q(shared=True),
            "template": Q(agent__isnull=False, shared=False),
        }


class FindingsFilter(ConditionFilter):
    title = "scan"
    parameter_name = "scan"

    def conditions(self) -> Mapping[str, Q]:
        return {"suspicious": ~Q(findings=[]), "clean": Q(findings=[])}


@admin.register(Block)
class BlockAdmin(OperatorAdmin[Block]):
    form = BlockForm
    list_display = (
        "label", "owner", "kind", "tokens", "max_tokens", "version", "suspicious",
        "updated_at",
    )  # fmt: skip
    list_filter = ("kind", OwnerFilter, FindingsFilter, AgentFilter, SessionFilter)
    list_select_related = ("session", "agent")
    search_fields = ("label", "description", "=session__key", "agent__name")
    search_help_text = "Label or description; the whole id of a session, or an agent"
    raw_id_fields = ("session",)
    autocomplete_fields = ("agent",)
    ordering = ("-updated_at", "-id")
    readonly_fields = (
        "rows",
        "tokens",
        "findings",
        "version",
        "created_at",
        "updated_at",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Block]:
        return super().get_queryset(request).defer("content")

    def get_fields(
        self, request: HttpRequest, obj: Block | None = None
    ) -> tuple[str, ...]:
        return MADE_WITH if obj is None else (*MADE_WITH, *self.readonly_fields)

    def get_readonly_fields(
        self, request: HttpRequest, obj: Block | None = None
    ) -> tuple[str, ...]:
        if obj is None:
            return self.readonly_fields
        changed = CHANGED[:-1] if obj.is_keyed else CHANGED
        fixed = tuple(name for name in MADE_WITH if name not in changed)
        return (*fixed, *self.readonly_fields)

    @admin.display
    def owner(self, block: Block) -> str:
        return link(block.session or block.agent)

    @admin.display(boolean=True)
    def suspicious(self, block: Block) -> bool:
        return bool(block.findings)

    @admin.display(description="What it has")
    def rows(self, block: Block) -> str:
        models = {"Entries": Entry, "Versions": Version, "Held writes": HeldWrite}
        links = [
            list_link(model, text, block=block.pk) for text, model in models.items()
        ]
        return links[0] + " · " + links[1] + " · " + links[2]

    def create(self, form: Any) -> Block:
        fields = {name: form.cleaned_data[name] for name in MADE_WITH}
        session, agent = fields.pop("session"), fields.pop("agent")
        made = create_block(owner=session or agent, author=form.author, **fields)
        # An operator's write is never held.
        assert isinstance(made, Block)  # noqa: S101
        return made

    def update(self, obj: Block, form: Any) -> None:
        update_block(block=obj, author=form.author, **form.changes())

    def removal(self) -> Removal[Block]:
        return Removal(foresee, delete)


def foresee(chosen: Sequence[Block]) -> Going:
    going = foresee_cascade(chosen)
    going.notes.append("Among the deleted blocks they can be had back for a month.")
    return going


def delete(chosen: Sequence[Block]) -> None:
    for block in chosen:
        delete_block(block=block, author=SOMEBODY)
