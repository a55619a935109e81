from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from context_app.admin.blocks import FindingsFilter
from context_app.admin.filters import BlockFilter
from context_app.admin.writing import SOMEBODY, OperatorAdmin
from context_app.models import Block, Entry
from context_app.services.entries import delete_entry, set_entry
from sessions_app.admin.confirming import Going, Removal, foresee_cascade
from sessions_app.admin.forms import ServiceForm

MADE_WITH = ("block", "key", "description", "content")


class EntryForm(ServiceForm[Entry]):
    class Meta:
        model = Entry
        fields = MADE_WITH

    def clean_block(self) -> Block:
        block: Block = self.cleaned_data["block"]
        if block.source == Block.Source.STORAGE:
            raise ValidationError("Its entries are files: they are not kept here.")
        return block


@admin.register(Entry)
class EntryAdmin(OperatorAdmin[Entry]):
    form = EntryForm
    list_display = ("key", "block", "description", "tokens", "version", "updated_at")
    list_filter = (FindingsFilter, BlockFilter)
    list_select_related = ("block",)
    search_fields = ("key", "description", "=block__label")
    search_help_text = "Key or description, or the whole label of a block"
    raw_id_fields = ("block",)
    ordering = ("-updated_at", "-id")
    readonly_fields = ("tokens", "findings", "version", "created_at", "updated_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Entry]:
        return super().get_queryset(request).defer("content", "block__content")

    def get_fields(
        self, request: HttpRequest, obj: Entry | None = None
    ) -> tuple[str, ...]:
        return MADE_WITH if obj is None else (*MADE_WITH, *self.readonly_fields)

    def get_readonly_fields(
        self, request: HttpRequest, obj: Entry | None = None
    ) -> tuple[str, ...]:
        return (
            self.readonly_fields
            if obj is None
            else ("block", "key", *self.readonly_fields)
        )

    def create(self, form: Any) -> Entry:
        made = set_entry(author=form.author, version=0, **form.cleaned_data)
        # An operator's write is never held.
        assert isinstance(made, Entry)  # noqa: S101
        return made

    def update(self, obj: Entry, form: Any) -> None:
        set_entry(
            block=obj.block,
            key=obj.key,
            content=form.cleaned_data["content"],
            description=form.cleaned_data["description"],
            author=form.author,
        )

    def removal(self) -> Removal[Entry]:
        return Removal(foresee, delete)


def foresee(chosen: Sequence[Entry]) -> Going:
    going = foresee_cascade(chosen)
    going.notes.append(
        "The versions stay with the block: from there it can be had back."
    )
    return going


def delete(chosen: Sequence[Entry]) -> None:
    for entry in chosen:
        delete_entry(block=entry.block, key=entry.key, author=SOMEBODY)
