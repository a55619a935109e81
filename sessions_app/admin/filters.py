"""Filters of lists that neither count their choices nor look for them in the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from sessions_app.models import Agent, Session

# With more agents than these one goes by the search, or by the agent's page.
MOST_AGENTS = 50


class ConditionFilter(SimpleListFilter):
    """A few conditions with names, given by ``conditions``."""

    def conditions(self) -> Mapping[str, Q]:
        raise NotImplementedError

    def lookups(
        self, request: HttpRequest, model_admin: ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        return [(name, name.capitalize()) for name in self.conditions()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        condition = self.conditions().get(self.value() or "")
        return queryset if condition is None else queryset.filter(condition)


class RowFilter(SimpleListFilter):
    """
    The rows of one row of another model, which a link names by its primary key.

    It shows itself where it narrows, so that one sees it and can take it away.
    """

    model: ClassVar[type[Model]]

    def lookups(
        self, request: HttpRequest, model_admin: ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        value = self.value()
        if value is None:
            return []
        found = (
            self.model._default_manager.filter(pk=value)
            if value.isdecimal() and len(value) < 19
            else []
        )
        return [(value, next((str(row) for row in found), f"{value} (there is none)"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value is None:
            return queryset
        if not value.isdecimal() or len(value) > 18:
            return queryset.none()
        return queryset.filter(**{str(self.parameter_name): value})


class SessionFilter(RowFilter):
    title = "session"
    parameter_name = "session"
    model = Session


class ParentFilter(SessionFilter):
    title = "made from session"
    parameter_name = "parent_session"


class AgentFilter(RowFilter):
    title = "agent"
    parameter_name = "agent"
    model = Agent

    def lookups(
        self, request: HttpRequest, model_admin: ModelAdmin[Any]
    ) -> list[tuple[str, str]]:
        agents = list(Agent.objects.order_by("name", "id")[: MOST_AGENTS + 1])
        if len(agents) > MOST_AGENTS:
            return super().lookups(request, model_admin)
        return [(str(agent.pk), agent.name) for agent in agents]
