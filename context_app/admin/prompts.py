from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from context_app.models import Prompt
from sessions_app.admin.columns import block
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.pages import LookingAdmin


@admin.register(Prompt)
class PromptAdmin(LookingAdmin[Prompt]):
    """System prompts as they were frozen, the newest of a session being in use."""

    list_display = ("__str__", "session", "version", "tokens", "sha256", "frozen_at")
    list_filter = (("frozen_at", admin.DateFieldListFilter), SessionFilter)
    list_select_related = ("session",)
    search_fields = ("=session__key", "sha256")
    search_help_text = "The whole id of a session, or a hash"
    ordering = ("-id",)
    fields = ("session", "version", "tokens", "sha256", "hosted", "frozen_at", "whole")
    readonly_fields = ("whole",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Prompt]:
        return super().get_queryset(request).defer("text")

    @admin.display(description="text")
    def whole(self, prompt: Prompt) -> str:
        return block(prompt.text)
