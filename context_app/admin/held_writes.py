from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from context_app.admin.filters import BlockFilter
from context_app.authors import operator
from context_app.models import HeldWrite
from context_app.services.deciding import approve, reject
from sessions_app.admin.columns import block, link
from sessions_app.admin.pages import LookingAdmin
from sessions_app.errors import MemoryHubError


@admin.register(HeldWrite)
class HeldWriteAdmin(LookingAdmin[HeldWrite]):
    """Writes that look like prompt injection: to be approved, or rejected."""

    list_display = (
        "id",
        "block",
        "action",
        "key",
        "author",
        "state",
        "rules",
        "created_at",
    )
    list_filter = ("state", ("created_at", admin.DateFieldListFilter), BlockFilter)
    list_select_related = ("block",)
    search_fields = ("=block__label", "key", "author")
    search_help_text = "The whole label of a block, a key, or who wrote"
    ordering = ("-id",)
    actions = ("approve_selected", "reject_selected")
    fields = (
        "block_link", "action", "key", "author", "created_at", "state", "decided_by",
        "decided_at", "findings", "description", "whole",
    )  # fmt: skip
    readonly_fields = ("block_link", "whole")

    def get_queryset(self, request: HttpRequest) -> QuerySet[HeldWrite]:
        return super().get_queryset(request).defer("block__content")

    @admin.display(description="block")
    def block_link(self, held: HeldWrite) -> str:
        return link(held.block)

    @admin.display(description="found")
    def rules(self, held: HeldWrite) -> str:
        return ", ".join(sorted({finding["rule"] for finding in held.findings}))

    @admin.display(description="content")
    def whole(self, held: HeldWrite) -> str:
        return "-" if held.content is None else block(held.content)

    def has_decide_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("context_app.change_heldwrite")

    @admin.action(permissions=["decide"], description="Approve selected held writes")
    def approve_selected(
        self, request: HttpRequest, queryset: QuerySet[HeldWrite]
    ) -> None:
        self._decide(request, queryset, approve)

    @admin.action(permissions=["decide"], description="Reject selected held writes")
    def reject_selected(
        self, request: HttpRequest, queryset: QuerySet[HeldWrite]
    ) -> None:
        self._decide(request, queryset, reject)

    def _decide(
        self,
        request: HttpRequest,
        queryset: QuerySet[HeldWrite],
        decision: Callable[..., Any],
    ) -> None:
        """Decide in the order of writing; of one text the last that is approved stays."""
        author = operator(request.user.get_username())
        for held in queryset.order_by("id"):
            try:
                decided = decision(held=held, operator=author)
            except MemoryHubError as refusal:
                self.message_user(
                    request, f"{held.pk}: {refusal.message}", messages.ERROR
                )
            else:
                self.message_user(
                    request, f"{held.pk} is {decided.state}.", messages.SUCCESS
                )
