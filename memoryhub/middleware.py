"""
Django's middleware, for pages only.

The API has no login session, no CSRF token and no messages: its keys are in a
header. Passing by what it does not use halves the cost of a request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from axes.middleware import AxesMiddleware
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.security import SecurityMiddleware

from sessions_app.api.errors import error_response

API = "/api/"


class PagesOnly:
    """Mixed in before a middleware: requests to the API go straight on."""

    get_response: Any

    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(API):
            return self.get_response(request)
        return super().__call__(request)  # type: ignore[misc]


class Security(PagesOnly, SecurityMiddleware):
    pass


class PageSessions(PagesOnly, SessionMiddleware):
    pass


class PageCommon(PagesOnly, CommonMiddleware):
    pass


class PageCsrf(PagesOnly, CsrfViewMiddleware):
    pass


class PageAuthentication(PagesOnly, AuthenticationMiddleware):
    pass


class PageMessages(PagesOnly, MessageMiddleware):
    pass


class PageFrames(PagesOnly, XFrameOptionsMiddleware):
    pass


class PageAxes(PagesOnly, AxesMiddleware):  # type: ignore[misc]
    pass


REFUSALS = {
    400: ("invalid", "The request could not be read"),
    404: ("not_found", "No such endpoint: see /api/v1/docs"),
    405: ("method_not_allowed", "This endpoint does not take this method"),
}


class ApiDoor:
    """
    What a request to the API meets first and last.

    What no endpoint could take is refused, and what Django itself refuses gets the
    API's one error shape.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(API):
            return self.get_response(request)
        refusal = _refusal(request)
        if refusal is not None:
            return refusal
        response = self.get_response(request)
        if response.status_code < 400 or _is_json(response):
            return response
        code, message = REFUSALS.get(
            response.status_code, ("error", "Something went wrong here, not with you")
        )
        answer = error_response(response.status_code, code, message)
        if allow := response.get("Allow"):
            answer["Allow"] = allow
        return answer


def _refusal(request: HttpRequest) -> HttpResponse | None:
    size = request.META.get("CONTENT_LENGTH") or "0"
    if size.isdecimal() and int(size) > settings.MAX_BODY_BYTES:
        return error_response(
            413,
            "too_large",
            f"The body is larger than {settings.MAX_BODY_BYTES:,} bytes: send several",
            {"limit": settings.MAX_BODY_BYTES},
        )
    # PostgreSQL has no text with it; a body is looked at where it is parsed.
    if "%00" in request.META.get("QUERY_STRING", "") or "\0" in request.path_info:
        return error_response(422, "invalid", "The URL holds a NUL character (%00)")
    return None


def _is_json(response: HttpResponse) -> bool:
    return response["Content-Type"].startswith("application/json")
