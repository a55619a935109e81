from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from sessions_app.admin.columns import (
    link,
    list_link,
    message_without_body,
    pretty_json,
)
from sessions_app.admin.confirming import Removal, confirm_and_delete
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.forms import ServiceForm
from sessions_app.admin.matching import matching_messages
from sessions_app.admin.message_lists import (
    BoundedPaginator,
    MessageList,
    ParentFilter,
    RoleFilter,
)
from sessions_app.admin.message_removal import ALONE, WITH_BELOW
from sessions_app.admin.pages import WritingAdmin
from sessions_app.errors import Invalid
from sessions_app.messages import Draft, read_message
from sessions_app.models import Message
from sessions_app.services.writing.editing import put_message


class MessageForm(ServiceForm[Message]):
    draft: Draft

    class Meta:
        model = Message
        fields = ("body",)
        widgets = {
            "body": forms.Textarea(
                {"rows": 12, "class": "vLargeTextField body", "spellcheck": "false"}
            )
        }

    def clean_body(self) -> str:
        # A browser ends lines its own way; between JSON's tokens it means nothing.
        body = self.cleaned_data["body"].replace("\r\n", "\n")
        try:
            self.draft = read_message(body.encode(), "message")
        except Invalid as exc:
            raise ValidationError(exc.message) from exc
        if self.draft.uid is None:
            self.draft.identify(self.instance.uid)
        if self.draft.uid != self.instance.uid:
            raise ValidationError(f"Its id is {self.instance.uid!r}, and stays so.")
        return self.draft.body


@admin.register(Message)
class MessageAdmin(WritingAdmin[Message]):
    """Messages can be edited and deleted; their places in the tree are the services'."""

    form = MessageForm
    list_display = (
        "id",
        "role",
        "beginning",
        "session",
        "tokens",
        "depth",
        "created_at",
    )
    list_filter = (RoleFilter, SessionFilter, ParentFilter)
    list_select_related = ("session",)
    search_fields = ("body",)
    search_help_text = 'A whole id; or words, "a phrase", OR, -without, begin*'
    ordering = ("-id",)
    sortable_by = ("id",)
    actions = ("delete_selected", "delete_below")
    readonly_fields = (
        "session_link", "uid", "role", "parent_link", "replies", "depth", "seq", "tokens",
        "path_tokens", "created_at", "message",
    )  # fmt: skip
    fields = (*readonly_fields, "body")

    def get_fields(
        self, request: HttpRequest, obj: Message | None = None
    ) -> tuple[str, ...]:
        if self.has_change_permission(request, obj):
            return self.fields
        return self.readonly_fields

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[MessageList]:
        return MessageList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        return super().get_queryset(request).defer("body")

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        # The same order; in one session this one has an index.
        return ("-seq", "-id") if "session" in request.GET else self.ordering

    def get_paginator(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> Paginator[Any]:
        if "role" in request.GET:
            return BoundedPaginator(*args, **kwargs)
        return Paginator(*args, **kwargs)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if not search_term:
            return queryset, False
        named = queryset.filter(uid=search_term)
        if search_term.isdecimal() and len(search_term) < 19:
            named |= queryset.filter(id=search_term)
        if named.exists():
            return named, False
        return queryset.filter(id__in=matching_messages(request, search_term)), False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.display(description="text")
    def beginning(self, message: Any) -> str:
        words: str = message.first_words
        return words

    @admin.display(description="session")
    def session_link(self, message: Message) -> str:
        return link(message.session)

    @admin.display(description="parent")
    def parent_link(self, message: Message) -> str:
        return link(message_without_body(message.parent_id))

    @admin.display
    def replies(self, message: Message) -> str:
        return list_link(Message, "What follows it", parent=message.pk)

    @admin.display
    def message(self, message: Message) -> str:
        return pretty_json(message.body)

    def update(self, obj: Message, form: Any) -> None:
        put_message(session=obj.session, draft=form.draft)

    def removal(self) -> Removal[Message]:
        return ALONE

    @admin.action(
        permissions=["delete"],
        description="Delete selected messages with everything below",
    )
    def delete_below(
        self, request: HttpRequest, queryset: QuerySet[Message]
    ) -> HttpResponse | None:
        return confirm_and_delete(self, request, queryset, WITH_BELOW)
