from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model
from django.http import HttpRequest, HttpResponse

from context_app.authors import operator
from sessions_app.admin.pages import WritingAdmin
from sessions_app.errors import MemoryHubError
from sessions_app.sql.outside import InTransaction

M = TypeVar("M", bound=Model)

# Of a deletion the admin's own log says whose it was.
SOMEBODY = operator("of the admin")


class OperatorAdmin(WritingAdmin[M]):
    """Rows whose versions say which operator wrote them."""

    def save_model(self, request: HttpRequest, obj: M, form: Any, change: Any) -> None:
        form.author = operator(request.user.get_username())
        super().save_model(request, obj, form, change)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        where = (object_id, form_url, extra_context)
        try:
            return super().changeform_view(request, *where)
        except InTransaction:
            # A bucket is looked into without the transaction that Django has opened.
            try:
                form: HttpResponse = self._changeform_view(request, *where)  # type: ignore[attr-defined]
                return form
            except MemoryHubError as refusal:
                request.refusal = refusal.message  # type: ignore[attr-defined]
                return super().changeform_view(request, *where)
