from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.timezone import now

from sessions_app.admin.columns import (
    dollars,
    link,
    list_link,
    message_without_body,
    together,
)
from sessions_app.admin.confirming import Removal
from sessions_app.admin.filters import AgentFilter, ConditionFilter, ParentFilter
from sessions_app.admin.pages import WritingAdmin
from sessions_app.admin.session_forms import (
    CAPS,
    FIELDSETS,
    MADE_WITH,
    SUMS,
    SessionForm,
)
from sessions_app.admin.session_removal import REMOVAL
from sessions_app.messages import preview
from sessions_app.models import Compaction, Label, Message, Session, Usage
from sessions_app.services.registry import sessions


class StateFilter(ConditionFilter):
    title = "state"
    parameter_name = "state"

    def conditions(self) -> Mapping[str, Q]:
        return {
            "active": Q(archived_at=None),
            "archived": Q(archived_at__isnull=False),
            "expired": Q(expires_at__lte=now()),
            "forks": Q(fork_point__isnull=False),
        }


@admin.register(Session)
class SessionAdmin(WritingAdmin[Session]):
    form = SessionForm
    list_display = (
        "title",
        "agent",
        "message_count",
        "model",
        "cost",
        "state",
        "updated_at",
    )
    list_filter = (
        StateFilter,
        ("updated_at", admin.DateFieldListFilter),
        AgentFilter,
        ParentFilter,
    )
    list_select_related = ("agent",)
    search_fields = ("key", "name", "agent__name")
    search_help_text = "Part of a session's id or name, or of its agent's name"
    autocomplete_fields = ("agent",)
    ordering = ("-updated_at", "-id")
    fieldsets = FIELDSETS
    readonly_fields = (
        *("rows", "message_count", "head_link", "context_tokens"),
        *("parent_link", "fork_point_link", "children_link"),
        *("cost", *SUMS, *CAPS, "created_at", "updated_at"),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Session | None = None) -> Any:
        return ((None, {"fields": MADE_WITH}),) if obj is None else FIELDSETS

    def get_readonly_fields(
        self, request: HttpRequest, obj: Session | None = None
    ) -> tuple[str, ...]:
        return (
            self.readonly_fields
            if obj is None
            else ("agent", "key", *self.readonly_fields)
        )

    @admin.display(ordering="name")
    def title(self, session: Session) -> str:
        return preview(str(session))

    @admin.display
    def state(self, session: Session) -> str:
        if session.expires_at and session.expires_at <= now():
            return "expired"
        return "archived" if session.archived_at else "active"

    @admin.display(boolean=True, ordering="archived_at")
    def archived(self, session: Session) -> bool:
        return session.archived_at is not None

    @admin.display(ordering="cost_nanos")
    def cost(self, session: Session) -> str:
        return dollars(session.cost_nanos)

    @admin.display(description="What it has")
    def rows(self, session: Session) -> str:
        models = {
            "Messages": Message,
            "Compactions": Compaction,
            "Labels": Label,
            "Usage": Usage,
        }
        return together(
            list_link(model, text, session=session.pk) for text, model in models.items()
        )

    @admin.display(description="head")
    def head_link(self, session: Session) -> str:
        return link(message_without_body(session.head_id))

    @admin.display(description="fork point")
    def fork_point_link(self, session: Session) -> str:
        return link(message_without_body(session.fork_point_id))

    @admin.display(description="parent session")
    def parent_link(self, session: Session) -> str:
        return link(session.parent_session)

    @admin.display(description="made from it")
    def children_link(self, session: Session) -> str:
        return list_link(Session, "Sessions", parent_session=session.pk)

    @admin.display
    def context_tokens(self, session: Session) -> int:
        head = message_without_body(session.head_id)
        return head.path_tokens - session.hidden_tokens if head else 0

    def create(self, form: Any) -> Session:
        fields = {name: form.cleaned_data[name] for name in MADE_WITH}
        return sessions.make_session(**fields | {"key": fields["key"] or None})

    def update(self, obj: Session, form: Any) -> None:
        sessions.update_session(session=obj, **form.changes())

    def removal(self) -> Removal[Session]:
        return REMOVAL
