"""Pages for what went wrong: each says what failed, and what to do next."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# status: what failed, and what to do
TEXTS = {
    400: ("The request could not be read", "Go back and try again."),
    403: ("You may not do this", "Ask an admin for the role that it needs."),
    404: ("There is no such page", "It may have been deleted, or the address is cut."),
    500: ("This page failed", "Nothing was changed. The server's log has the cause."),
    503: ("The database is busy", "Nothing was changed. Try again in some seconds."),
}


def failed(request: HttpRequest, status: int, message: str = "") -> HttpResponse:
    """Answer a page that failed; ``message`` is fit to be shown."""
    heading, advice = TEXTS.get(status, (HTTPStatus(status).phrase, "Go back."))
    context = {"status": status, "heading": heading, "advice": message or advice}
    is_piece = request.headers.get("HX-Request") == "true"
    template = "parts/_failed.html" if is_piece else "error.html"
    return render(request, template, context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failed(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failed(request, 403, str(exception))


def no_token(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer a form without its token: the page is older than the login, mostly."""
    return failed(
        request, 403, "This form is too old: load its page again, then send it."
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failed(request, 404, _told(exception))


def broken(request: HttpRequest) -> HttpResponse:
    return failed(request, 500)


def _told(exception: Any) -> str:
    """Return what a view said itself; Django's own 404 has a dict, or a class's name."""
    told = exception.args[0] if exception.args else ""
    return told if isinstance(told, str) and told.endswith(".") else ""
