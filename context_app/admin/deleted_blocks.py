from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from context_app.models import DeletedBlock
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.pages import LookingAdmin


@admin.register(DeletedBlock)
class DeletedBlockAdmin(LookingAdmin[DeletedBlock]):
    """Blocks that people deleted on the dashboard: kept for a month."""

    list_display = ("label", "session", "agent", "author", "created_at")
    list_filter = (SessionFilter,)
    list_select_related = ("session", "agent")
    search_fields = ("=session__key", "label")
    ordering = ("-id",)
    fields = ("label", "session", "agent", "author", "created_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[DeletedBlock]:
        return super().get_queryset(request).defer("rows")
