"""The pages that the models have in common: what they show, and how they write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from sessions_app.admin.confirming import Removal, confirm_and_delete
from sessions_app.admin.forms import ServiceForm
from sessions_app.errors import MemoryHubError

M = TypeVar("M", bound=Model)


class LookingAdmin(admin.ModelAdmin[M]):
    """Rows to look at, which only services make and change."""

    list_per_page = 100
    # A list counts what it shows, and neither all rows besides nor each filter's.
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


class RemovingAdmin(LookingAdmin[M]):
    """Rows that may be deleted, one or several, after a page that says what goes."""

    delete_confirmation_template = "admin/sessions_app/delete.html"
    actions: tuple[str, ...] = ("delete_selected",)

    def removal(self) -> Removal[M]:
        raise NotImplementedError

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    # It has the name of Django's own, and so takes its place.
    @admin.action(
        permissions=["delete"], description="Delete selected %(verbose_name_plural)s"
    )
    def delete_selected(
        self, request: HttpRequest, queryset: QuerySet[M]
    ) -> HttpResponse | None:
        return confirm_and_delete(self, request, queryset, self.removal())

    def get_deleted_objects(
        self, objs: Sequence[M] | QuerySet[M], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        going = self.removal().foresee(list(objs))
        return going.notes, going.counts, set(), []

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        self.removal().carry_out([obj])

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> None:
        self.removal().carry_out(list(queryset))

    def delete_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except MemoryHubError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())


class WritingAdmin(RemovingAdmin[M]):
    """
    Rows that may be made and changed, by ``create`` and ``update``.

    What a service refuses is shown in the form, as though it had checked it.
    """

    form: type[ServiceForm[M]] = ServiceForm

    def create(self, form: Any) -> M:
        """Make what a form says."""
        raise NotImplementedError

    def update(self, obj: M, form: Any) -> None:
        """Change a row to what a form says. ``obj`` has the form's values already."""
        raise NotImplementedError

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.ModelAdmin.has_add_permission(self, request)

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def save_model(self, request: HttpRequest, obj: M, form: Any, change: Any) -> None:
        if not change:
            obj.pk = self.create(form).pk
        elif form.changed_data:
            self.update(obj, form)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except MemoryHubError as refusal:
            # The form again, with the reason in it: what was typed stays.
            request.refusal = refusal.message  # type: ignore[attr-defined]
            return super().changeform_view(request, object_id, form_url, extra_context)

    def get_form(self, request: HttpRequest, *args: Any, **kwargs: Any) -> type[Any]:
        form = super().get_form(request, *args, **kwargs)
        # The class was made for this request.
        form.refusal = getattr(request, "refusal", "")  # type: ignore[attr-defined]
        return form
