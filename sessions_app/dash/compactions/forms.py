"""What the forms of compactions send."""

from __future__ import annotations

from django.urls import reverse

from sessions_app.dash.access import PageRequest
from sessions_app.errors import Invalid
from sessions_app.models import Session


def posted_text(request: PageRequest, name: str) -> str:
    """
    Return what was typed, with the line ends that everything else has.

    :raises Invalid: if it holds what no database can store
    """
    text = request.POST.get(name, "").replace("\r\n", "\n")
    if "\0" in text:
        raise Invalid(f"{name}: holds a NUL character", field=name)
    return text


def operator_of(request: PageRequest) -> str:
    return f"operator {request.user.username}"


def tab_of(session: Session) -> str:
    return reverse("session-compactions", args=[session.pk])
