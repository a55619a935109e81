"""What people have uploaded to import."""

from __future__ import annotations

from django.contrib import admin

from sessions_app.admin.pages import LookingAdmin
from sessions_app.models import Upload


@admin.register(Upload)
class UploadAdmin(LookingAdmin[Upload]):
    list_display = ("id", "state", "agent", "total_bytes", "created_by", "created_at")
    list_filter = ("state",)
    search_fields = ("agent", "created_by")
    ordering = ("-id",)
