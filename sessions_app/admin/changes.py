"""What was changed in sessions and can be undone, and what is kept for that."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.pages import LookingAdmin
from sessions_app.models import (
    KeptCompaction,
    KeptMessage,
    KeptUsage,
    MessageChange,
)


@admin.register(MessageChange)
class MessageChangeAdmin(LookingAdmin[MessageChange]):
    list_display = ("id", "session", "action", "count", "by", "created_at", "undone_at")
    list_filter = ("action", SessionFilter)
    list_select_related = ("session",)
    search_fields = ("=session__key", "by")
    ordering = ("-id",)


@admin.register(KeptMessage)
class KeptMessageAdmin(LookingAdmin[KeptMessage]):
    list_display = ("id", "change", "what", "uid", "role", "depth", "tokens")
    list_filter = ("what",)
    list_select_related = ("change",)
    search_fields = ("=uid",)
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[KeptMessage]:
        return super().get_queryset(request).defer("body")


@admin.register(KeptUsage)
class KeptUsageAdmin(LookingAdmin[KeptUsage]):
    list_display = ("id", "change", "ref", "usage")
    list_select_related = ("change",)
    search_fields = ("=usage",)
    ordering = ("-id",)


@admin.register(KeptCompaction)
class KeptCompactionAdmin(LookingAdmin[KeptCompaction]):
    list_display = ("id", "change", "ref", "first", "last")
    list_select_related = ("change",)
    search_fields = ("=ref",)
    ordering = ("-id",)
