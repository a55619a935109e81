from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from sessions_app.admin.columns import counted, link
from sessions_app.admin.confirming import Going, Removal, foresee_cascade
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.forms import ServiceForm
from sessions_app.admin.pages import WritingAdmin
from sessions_app.models import Compaction
from sessions_app.services.compaction.overlays import (
    delete_compaction,
    update_compaction,
)


class CompactionForm(ServiceForm[Compaction]):
    class Meta:
        model = Compaction
        fields = ("state", "summary")


@admin.register(Compaction)
class CompactionAdmin(WritingAdmin[Compaction]):
    """Summaries can be switched and rewritten; what they cover is never touched."""

    form = CompactionForm
    list_display = (
        "uid", "session", "state", "covers", "tokens_before", "tokens_after", "method",
        "created_at",
    )  # fmt: skip
    list_filter = ("state", ("created_at", admin.DateFieldListFilter), SessionFilter)
    list_select_related = ("session", "first", "last")
    search_fields = ("uid", "=session__key", "method", "model", "created_by")
    ordering = ("-id",)
    fieldsets = (
        (None, {"fields": ("state", "summary")}),
        (
            "Where it lies",
            {"fields": ("session_link", "first_link", "last_link", "covers")},
        ),
        ("What it saves", {"fields": ("tokens_before", "tokens_after")}),
        (
            "Where it comes from",
            {"fields": ("uid", "method", "model", "created_by", "created_at")},
        ),
    )
    readonly_fields = (
        "session_link", "first_link", "last_link", "covers", "tokens_before", "tokens_after",
        "uid", "method", "model", "created_by", "created_at",
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Compaction]:
        found = super().get_queryset(request)
        return found.defer("summary", "first__body", "last__body")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display
    def covers(self, compaction: Compaction) -> str:
        length = compaction.last.depth - compaction.first.depth + 1
        return counted(length, "message")

    @admin.display(description="session")
    def session_link(self, compaction: Compaction) -> str:
        return link(compaction.session)

    @admin.display(description="first message")
    def first_link(self, compaction: Compaction) -> str:
        return link(compaction.first)

    @admin.display(description="last message")
    def last_link(self, compaction: Compaction) -> str:
        return link(compaction.last)

    def update(self, obj: Compaction, form: Any) -> None:
        update_compaction(session=obj.session, uid=obj.uid, **form.changes())

    def removal(self) -> Removal[Compaction]:
        return Removal(foresee, delete)


def foresee(chosen: Sequence[Compaction]) -> Going:
    going = foresee_cascade(chosen)
    going.notes.append("The messages that a summary covers stay, and are seen again.")
    return going


def delete(chosen: Sequence[Compaction]) -> None:
    for compaction in chosen:
        delete_compaction(session=compaction.session, uid=compaction.uid)
