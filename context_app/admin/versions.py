from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from context_app.admin.blocks import FindingsFilter
from context_app.admin.filters import BlockFilter
from context_app.models import Version
from context_app.services.versions import diff_of
from sessions_app.admin.columns import block, link
from sessions_app.admin.pages import LookingAdmin


@admin.register(Version)
class VersionAdmin(LookingAdmin[Version]):
    """What was written, by whom and when: history, which stays as it is."""

    list_display = (
        "__str__",
        "block",
        "key",
        "version",
        "author",
        "deleted",
        "created_at",
    )
    list_filter = (
        ("created_at", admin.DateFieldListFilter),
        FindingsFilter,
        BlockFilter,
    )
    list_select_related = ("block",)
    search_fields = ("=block__label", "key", "author")
    search_help_text = "The whole label of a block, a key, or who wrote"
    ordering = ("-id",)
    fields = (
        "block_link", "key", "version", "author", "created_at", "deleted", "description",
        "findings", "changes", "whole",
    )  # fmt: skip
    readonly_fields = ("block_link", "changes", "whole")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Version]:
        return super().get_queryset(request).defer("content", "block__content")

    @admin.display(description="block")
    def block_link(self, version: Version) -> str:
        return link(version.block)

    @admin.display(description="what it changed")
    def changes(self, version: Version) -> str:
        return block(diff_of(version) or "-")

    @admin.display(description="content")
    def whole(self, version: Version) -> str:
        return block(version.content)
