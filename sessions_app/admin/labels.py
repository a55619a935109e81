from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from sessions_app.admin.confirming import Removal, foresee_cascade
from sessions_app.admin.filters import SessionFilter
from sessions_app.admin.forms import ServiceForm
from sessions_app.admin.pages import WritingAdmin
from sessions_app.models import Label
from sessions_app.services.forest.finding import find
from sessions_app.services.writing.editing import set_label


class LabelForm(ServiceForm[Label]):
    class Meta:
        model = Label
        fields = ("session", "message", "text")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        session, message = cleaned.get("session"), cleaned.get("message")
        if session and message:
            # Sessions may have messages of the same id.
            found = find(session, message.uid)
            if found is None or found.id != message.id:
                self.add_error("message", "The session has no such message.")
        return cleaned


@admin.register(Label)
class LabelAdmin(WritingAdmin[Label]):
    form = LabelForm
    list_display = ("text", "session", "message")
    list_filter = (SessionFilter,)
    list_select_related = ("session", "message")
    search_fields = ("text", "=session__key", "=message__uid")
    search_help_text = "The label, or the whole id of a session or message"
    raw_id_fields = ("session", "message")
    ordering = ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Label]:
        return super().get_queryset(request).defer("message__body")

    def get_readonly_fields(
        self, request: HttpRequest, obj: Label | None = None
    ) -> tuple[str, ...]:
        return () if obj is None else ("session", "message")

    def create(self, form: Any) -> Label:
        label: Label = form.instance
        self.update(label, form)
        return Label.objects.get(session=label.session, message=label.message)

    def update(self, obj: Label, form: Any) -> None:
        set_label(session=obj.session, uid=obj.message.uid, text=obj.text)

    def removal(self) -> Removal[Label]:
        return Removal(foresee_cascade, delete)


def delete(chosen: Sequence[Label]) -> None:
    for label in chosen:
        set_label(session=label.session, uid=label.message.uid, text=None)
