"""Asking for pages of the admin, and filling in their forms as a browser does."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.db.models import Model
from django.test import Client
from django.urls import reverse

OURS = list(apps.get_app_config("sessions_app").get_models())


def page_of(model: type[Model], page: str, *args: object) -> str:
    """Return the address of a model's page: changelist, add, change, delete."""
    return reverse(
        f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args
    )


def change_page(row: Model) -> str:
    return page_of(type(row), "change", row.pk)


def delete_page(row: Model) -> str:
    return page_of(type(row), "delete", row.pk)


def filled_in(response: Any) -> dict[str, Any]:
    """Return what a browser would send if the form of a page were sent as it is."""
    form = response.context["adminform"].form
    sent: dict[str, Any] = {}
    for bound in form:
        parts = getattr(bound.field.widget, "widgets", None)
        if parts:
            values = bound.field.widget.decompress(bound.value())
            names = (f"{bound.name}{name}" for name in bound.field.widget.widgets_names)
            sent |= dict(zip(names, values, strict=True))
        else:
            sent[bound.name] = bound.value()
        if bound.field.show_hidden_initial:
            sent[bound.html_initial_name] = bound.value()
    return {name: value for name, value in sent.items() if value not in (None, False)}


def save(client: Client, address: str, **changes: Any) -> Any:
    """Open a page with a form, change some of it, and send it."""
    response = client.post(address, filled_in(client.get(address)) | changes)
    assert response.status_code in (200, 302)
    return response


def act(client: Client, action: str, *rows: Model, **more: Any) -> Any:
    """Choose an action for rows of a list; the answer is the page one ends on."""
    sent = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(page_of(type(rows[0]), "changelist"), sent, follow=True)


def errors_of(response: Any) -> str:
    """Return what the form on a page complains of."""
    return str(response.context["errors"])
