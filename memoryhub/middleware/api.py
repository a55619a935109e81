"""The way of requests to the API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse

from sessions_app.api.errors import error_response
from sessions_app.api.idempotency import Idempotency

GetResponse = Callable[[HttpRequest], HttpResponse]

API = "/api/"
# Its body is a file, and is not read into memory.
IMPORT = "/api/v1/import"

REFUSALS = {
    400: ("invalid", "The request could not be read"),
    404: ("not_found", "No such endpoint: see /api/v1/docs"),
    405: ("method_not_allowed", "This endpoint does not take this method"),
}


class Endpoints(BaseHandler):
    """Django's handler for requests to the API: it has the middleware of the API alone."""

    # Hooks of middleware around a view; the API's has none.
    _view_middleware: Sequence[Any] = ()
    _template_response_middleware: Sequence[Any] = ()
    _exception_middleware: Sequence[Any] = ()

    def make_view_atomic(self, view: Any) -> Any:
        """Return the view as it is: a service begins its own transaction."""
        return view

    def chain(self) -> GetResponse:
        """Return what ``load_middleware`` makes of the settings for pages."""
        find_and_call: GetResponse = self._get_response  # type: ignore[attr-defined]
        view: Any = convert_exception_to_response(find_and_call)
        chain: Any = convert_exception_to_response(Idempotency(view))
        return chain  # type: ignore[no-any-return]


class ApiDoor:
    """
    The first middleware: requests to the API go no further down the list.

    What no endpoint could take is refused, and what Django itself refuses gets the
    API's one error shape.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.pages = get_response
        self.endpoint = Endpoints().chain()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(API):
            return self.pages(request)
        refusal = _refusal(request)
        if refusal is not None:
            return refusal
        response = self._answer(request)
        if response.status_code < 400 or _is_json(response):
            return response
        code, message = REFUSALS.get(
            response.status_code, ("error", "Something went wrong here, not with you")
        )
        answer = error_response(response.status_code, code, message)
        if allow := response.get("Allow"):
            answer["Allow"] = allow.replace("GET", "GET, HEAD")
        return answer

    def _answer(self, request: HttpRequest) -> HttpResponse:
        if request.method != "HEAD":
            return self.endpoint(request)
        # All is as for GET; the server sends no body.
        request.method = "GET"
        try:
            return self.endpoint(request)
        finally:
            request.method = "HEAD"


def _refusal(request: HttpRequest) -> HttpResponse | None:
    size = request.META.get("CONTENT_LENGTH") or "0"
    is_file = request.path_info == IMPORT
    most = settings.MAX_UPLOAD_BYTES if is_file else settings.MAX_BODY_BYTES
    if size.isdecimal() and int(size) > most:
        return error_response(
            413,
            "too_large",
            f"The body is larger than {most:,} bytes: send several",
            {"limit": most},
        )
    # PostgreSQL has no text with it; a body is looked at where it is parsed.
    if "%00" in request.META.get("QUERY_STRING", "") or "\0" in request.path_info:
        return error_response(422, "invalid", "The URL holds a NUL character (%00)")
    return None


def _is_json(response: HttpResponse) -> bool:
    return response["Content-Type"].startswith("application/json")
