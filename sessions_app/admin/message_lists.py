"""What the list of messages shows besides their rows, and how it is narrowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest
from django.utils.functional import cached_property

from sessions_app.admin.filters import ConditionFilter, RowFilter
from sessions_app.models import Message
from sessions_app.services.forest.trees import previews

# As many as these are counted where no index counts them.
MOST_COUNTED = 10_000
ROLES = ("user", "assistant", "system", "tool")


class RoleFilter(ConditionFilter):
    title = "role"
    parameter_name = "role"

    def conditions(self) -> Mapping[str, Q]:
        return {role: Q(role=role) for role in ROLES} | {"other": ~Q(role__in=ROLES)}


class ParentFilter(RowFilter):
    title = "what follows"
    parameter_name = "parent"
    model = Message


class BoundedPaginator(Paginator[Any]):
    """Pages of the first rows of a list that takes long to count; it says so."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list[: MOST_COUNTED + 1]
        counted: int = rows.count()
        self.is_cut = counted > MOST_COUNTED
        return min(counted, MOST_COUNTED)


class MessageList(ChangeList):
    """Messages with their first words: one query for a page, and no bodies."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        words = previews([message.pk for message in self.result_list])
        for message in self.result_list:
            message.first_words = words.get(message.pk, "")
