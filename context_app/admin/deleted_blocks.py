from __future__ import annotations

from collections.abc import Sequence

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from context_app.models import DeletedBlock
from context_app.services.deleted_blocks import forget, restore
from sessions_app.admin.confirming import Removal, foresee_cascade
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.pages import RemovingAdmin
from sessions_app.errors import MemoryHubError


@admin.register(DeletedBlock)
class DeletedBlockAdmin(RemovingAdmin[DeletedBlock]):
    """Blocks that somebody deleted, kept for a month: to be restored, or to go at once."""

    list_display = ("label", "session", "agent", "author", "created_at")
    list_filter = (SessionFilter,)
    list_select_related = ("session", "agent")
    search_fields = ("=session__key", "label")
    ordering = ("-id",)
    actions = ("restore_selected", "delete_selected")
    fields = ("label", "session", "agent", "author", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[DeletedBlock]:
        return super().get_queryset(request).defer("rows")

    def removal(self) -> Removal[DeletedBlock]:
        return Removal(foresee_cascade, delete)

    @admin.action(permissions=["delete"], description="Restore selected deleted blocks")
    def restore_selected(
        self, request: HttpRequest, queryset: QuerySet[DeletedBlock]
    ) -> None:
        for aside in queryset.order_by("id"):
            try:
                block = restore(pk=aside.pk)
            except MemoryHubError as refusal:
                text = f"{aside.label}: {refusal.message}"
                self.message_user(request, text, messages.ERROR)
            else:
                text = f"{block.label} is back as it was."
                self.message_user(request, text, messages.SUCCESS)


def delete(chosen: Sequence[DeletedBlock]) -> None:
    for aside in chosen:
        forget(aside)
