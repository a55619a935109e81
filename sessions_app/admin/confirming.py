"""
Deleting: a page that says in plain words what goes, and then the service.

Django's own page would follow every relation to every row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.db import transaction
from django.db.models import CASCADE, Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from sessions_app.admin.columns import counted
from sessions_app.errors import MemoryHubError

M = TypeVar("M", bound=Model)

# How many rows one confirmation is for: it is one request and one transaction.
MOST = 500
NAMED = 20


@dataclass
class Going:
    """What a deletion takes along, counted, and what else happens, in words."""

    counts: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def add(self, model: type[Model], count: int) -> None:
        names = model._meta.verbose_name, model._meta.verbose_name_plural
        if count:
            self.counts[str(names[count != 1])] = count

    def note(self, count: int, noun: str, rest: str, plural: str = "") -> None:
        if count:
            self.notes.append(f"{counted(count, noun, plural)} {rest}")


@dataclass(frozen=True)
class Removal(Generic[M]):
    """A way to delete rows: what it takes along, and who does it."""

    foresee: Callable[[Sequence[M]], Going]
    carry_out: Callable[[Sequence[M]], object]
    action: str = "delete_selected"


def foresee_cascade(objs: Sequence[Model]) -> Going:
    """Count the rows, and those that belong to them, whichever app's they are."""
    going = Going()
    going.add(type(objs[0]), len(objs))
    for relation in objs[0]._meta.related_objects:
        if relation.on_delete is CASCADE:
            related: type[Model] = relation.related_model
            rows = related._default_manager.filter(
                **{f"{relation.field.name}__in": objs}
            )
            going.add(related, rows.count())
    return going


def confirm_and_delete(
    model_admin: ModelAdmin[M],
    request: HttpRequest,
    queryset: QuerySet[M],
    removal: Removal[M],
) -> HttpResponse | None:
    """Ask, as a page, or where that was answered delete; for an action to return."""
    chosen = list(queryset[: MOST + 1])
    if not chosen:
        return None
    if len(chosen) > MOST:
        model_admin.message_user(
            request, f"Select at most {MOST:,} at a time.", messages.ERROR
        )
        return None
    if request.POST.get("post"):
        _delete(model_admin, request, chosen, removal)
        return None

    going = removal.foresee(chosen)
    context: dict[str, Any] = {
        **model_admin.admin_site.each_context(request),
        "title": "Delete",
        "subtitle": None,
        "opts": model_admin.opts,
        "media": model_admin.media,
        "action": removal.action,
        "checkbox_name": ACTION_CHECKBOX_NAME,
        "chosen": chosen,
        "named": chosen[:NAMED],
        "unnamed": len(chosen) - NAMED,
        "model_count": going.counts.items(),
        "notes": going.notes,
    }
    return TemplateResponse(request, "admin/sessions_app/delete_several.html", context)


def _delete(
    model_admin: ModelAdmin[M],
    request: HttpRequest,
    chosen: list[M],
    removal: Removal[M],
) -> None:
    noun = model_admin.opts
    try:
        with transaction.atomic():
            model_admin.log_deletions(request, chosen)  # type: ignore[arg-type]
            removal.carry_out(chosen)
    except MemoryHubError as refusal:
        model_admin.message_user(request, refusal.message, messages.ERROR)
        return
    deleted = counted(
        len(chosen), str(noun.verbose_name), str(noun.verbose_name_plural)
    )
    model_admin.message_user(request, f"Deleted {deleted}.", messages.SUCCESS)
