from __future__ import annotations

from django.contrib import admin

from context_app.models import SkillCall
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.pages import LookingAdmin


@admin.register(SkillCall)
class SkillCallAdmin(LookingAdmin[SkillCall]):
    """What turns that are not stored yet have loaded or unloaded."""

    list_display = ("label", "key", "loaded", "session", "head", "created_at")
    list_filter = (SessionFilter,)
    list_select_related = ("session",)
    search_fields = ("=session__key", "label", "key")
    ordering = ("-id",)
