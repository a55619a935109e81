from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.timezone import now

from sessions_app.admin.filters import AgentFilter, ConditionFilter
from sessions_app.admin.forms import ServiceForm
from sessions_app.admin.pages import WritingAdmin
from sessions_app.models import ApiKey
from sessions_app.services.registry import keys

SHOWN_ONCE = "The key is <code>{}</code>. Copy it now: it is not shown again."


class KeyForm(ServiceForm[ApiKey]):
    unchecked = frozenset({"scope"})

    class Meta:
        model = ApiKey
        fields = ("agent", "name", "scope", "expires_at")


class StateFilter(ConditionFilter):
    title = "state"
    parameter_name = "state"

    def conditions(self) -> Mapping[str, Q]:
        living = Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=now()))
        return {
            "active": living,
            "expired": Q(revoked_at=None, expires_at__lte=now()),
            "revoked": Q(revoked_at__isnull=False),
        }


@admin.register(ApiKey)
class ApiKeyAdmin(WritingAdmin[ApiKey]):
    """Keys are made and revoked. They are not edited, and their rows stay."""

    form = KeyForm
    list_display = (
        "prefix",
        "name",
        "agent",
        "scope",
        "state",
        "last_used_at",
        "created_at",
    )
    list_filter = (StateFilter, "scope", AgentFilter)
    list_select_related = ("agent",)
    search_fields = ("prefix", "name", "agent__name")
    search_help_text = "The first characters of a key, its name, or its agent"
    autocomplete_fields = ("agent",)
    ordering = ("-id",)
    actions = ("revoke",)

    def get_fields(
        self, request: HttpRequest, obj: ApiKey | None = None
    ) -> tuple[str, ...]:
        if obj is None:
            return KeyForm.Meta.fields
        times = ("expires_at", "revoked_at", "last_used_at", "created_at")
        return ("prefix", "agent", "name", "scope", "state", *times)

    @admin.display
    def state(self, key: ApiKey) -> str:
        if key.revoked_at:
            return "revoked"
        return "expired" if key.expires_at and key.expires_at <= now() else "active"

    def create(self, form: Any) -> ApiKey:
        # The secret goes along with the form to the message, and nowhere else.
        key, form.secret = keys.create_key(**form.cleaned_data)
        return key

    def save_model(
        self, request: HttpRequest, obj: ApiKey, form: Any, change: Any
    ) -> None:
        super().save_model(request, obj, form, change)
        obj.refresh_from_db()
        self.message_user(
            request, format_html(SHOWN_ONCE, form.secret), messages.WARNING
        )

    def has_change_permission(
        self, request: HttpRequest, obj: ApiKey | None = None
    ) -> bool:
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: ApiKey | None = None
    ) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("sessions_app.change_apikey")

    @admin.action(permissions=["revoke"], description="Revoke selected API keys")
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        living = queryset.filter(revoked_at=None).values_list("prefix", flat=True)
        for prefix in living:
            keys.revoke_key(prefix)
            self.message_user(request, f"Key {prefix} is revoked.", messages.SUCCESS)
