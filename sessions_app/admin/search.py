from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest

from sessions_app.admin.columns import block, link, message_without_body
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.matching import matching_documents
from sessions_app.admin.pages import LookingAdmin
from sessions_app.messages import preview
from sessions_app.models import SearchDocument

# Characters of a text that are read for a list.
PREVIEWED = 400


@admin.register(SearchDocument)
class SearchDocumentAdmin(LookingAdmin[SearchDocument]):
    list_display = ("id", "kind", "ref", "session", "cjk", "beginning")
    list_filter = ("kind", "cjk", SessionFilter)
    list_select_related = ("session",)
    search_fields = ("text",)
    search_help_text = (
        'Words, "a phrase", OR, -without, begin*; or the key of what it is of'
    )
    ordering = ("-id",)
    sortable_by = ("id",)
    fields = ("kind", "ref", "message", "session", "cjk", "whole")
    readonly_fields = ("message", "whole")

    def get_queryset(self, request: HttpRequest) -> QuerySet[SearchDocument]:
        found = super().get_queryset(request).defer("text")
        return found.annotate(first_words=Left("text", PREVIEWED))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if not search_term:
            return queryset, False
        if (
            search_term.isdecimal()
            and len(search_term) < 19
            and (found := queryset.filter(ref=search_term)).exists()
        ):
            return found, False
        return queryset.filter(id__in=matching_documents(request, search_term)), False

    @admin.display(description="text")
    def beginning(self, document: Any) -> str:
        return preview(document.first_words)

    @admin.display(description="text")
    def whole(self, document: SearchDocument) -> str:
        return block(document.text)

    @admin.display
    def message(self, document: SearchDocument) -> str:
        if document.kind != SearchDocument.Kind.MESSAGE:
            return "-"
        return link(message_without_body(document.ref))
