from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from sessions_app.admin.columns import pretty_json
from sessions_app.admin.pages import LookingAdmin
from sessions_app.models import IdempotencyRecord


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(LookingAdmin[IdempotencyRecord]):
    list_display = ("key", "api_key", "status", "created_at")
    list_filter = (("created_at", admin.DateFieldListFilter),)
    list_select_related = ("api_key",)
    search_fields = ("key", "api_key__prefix")
    ordering = ("-created_at", "-id")
    fields = ("key", "api_key", "digest", "status", "answer", "created_at")
    readonly_fields = ("answer",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[IdempotencyRecord]:
        return super().get_queryset(request).defer("content")

    @admin.display(description="first answer")
    def answer(self, record: IdempotencyRecord) -> str:
        return pretty_json(record.content)
