from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model
from django.http import HttpRequest

from context_app.authors import operator
from sessions_app.admin.pages import WritingAdmin

M = TypeVar("M", bound=Model)

# Of a deletion the admin's own log says whose it was.
SOMEBODY = operator("of the admin")


class OperatorAdmin(WritingAdmin[M]):
    """Rows whose versions say which operator wrote them."""

    def save_model(self, request: HttpRequest, obj: M, form: Any, change: Any) -> None:
        form.author = operator(request.user.get_username())
        super().save_model(request, obj, form, change)
