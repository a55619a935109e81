"""How a view answers: with a page, a piece of it, or the way to another."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRedirect

from sessions_app.dash.access import PageRequest
from sessions_app.errors import Conflict, Forbidden, MemoryHubError, NotFound, TooLarge

KINDS = ((NotFound, 404), (Conflict, 409), (Forbidden, 403), (TooLarge, 413))


def show(
    request: PageRequest,
    template: str,
    context: dict[str, Any],
    *,
    piece: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """
    Render a page; for HTMX only its ``piece``, with the toasts that are due.

    A piece is a template of its own, which the page includes.
    """
    if not (piece and request.htmx):
        return render(request, template, context, status=status)
    response = render(request, piece, context, status=status)
    response.write(
        render(request, "parts/_toasts.html", {"is_piece": True}).content.decode()
    )
    return response


def go(request: PageRequest, url: str) -> HttpResponse:
    """Lead on to another page after something was done (303, see other)."""
    if request.htmx:
        return HttpResponseClientRedirect(url)
    return HttpResponseRedirect(url, status=303)


def toast(request: PageRequest, text: str, *, undo: str | None = None) -> None:
    """
    Say on the next page what was done.

    ``undo`` is the address that a POST undoes it at.
    """
    messages.success(request, text, extra_tags=f"undo={undo}" if undo else "")


def warn(request: PageRequest, error: MemoryHubError) -> None:
    """Say on the next page why nothing was done."""
    messages.error(request, f"{error.message}. Nothing was changed.")


def status_of(error: MemoryHubError) -> int:
    for kind, status in KINDS:
        if isinstance(error, kind):
            return status
    return 422
