"""What is the same for all pages: an id for each request, and an answer to what fails."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import DataError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse

from memoryhub.dash.errors import failed
from sessions_app import sql
from sessions_app.dash.answers import status_of
from sessions_app.errors import MemoryHubError

logger = logging.getLogger(__name__)

NUL = "A field holds a NUL character (%00)."
# What Django answers with a page for a 4xx.
REFUSED = (Http404, PermissionDenied, SuspiciousOperation)


class PageFailures:
    """
    Give each request for a page an id, and answer what a view raises with a page.

    The id is in the answer's ``X-Request-Id``, on error pages and in the log.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.id = secrets.token_hex(5)  # type: ignore[attr-defined]
        if _has_nul(request):
            response = failed(request, 422, NUL)
        else:
            response = self.get_response(request)
        response["X-Request-Id"] = request.id  # type: ignore[attr-defined]
        return response

    def process_exception(
        self, request: HttpRequest, exception: Exception
    ) -> HttpResponse | None:
        if isinstance(exception, MemoryHubError):
            return failed(request, status_of(exception), f"{exception.message}.")
        # It came in a form of parts, which is not looked through before.
        if isinstance(exception, DataError) and _is_nul(exception):
            return failed(request, 422, NUL)
        request_id = request.id  # type: ignore[attr-defined]
        if isinstance(exception, OperationalError) and sql.is_busy(exception):
            logger.warning(
                "Request %s found the database busy: %s", request_id, exception
            )
            response = failed(request, 503)
            response["Retry-After"] = "2"
            return response
        if not isinstance(exception, REFUSED):
            logger.error("Request %s for %s failed", request_id, request.path)
        return None


def _has_nul(request: HttpRequest) -> bool:
    """Say whether an address or a form holds what no text of PostgreSQL can."""
    if "%00" in request.META.get("QUERY_STRING", "") or "\0" in request.path_info:
        return True
    is_form = request.content_type == "application/x-www-form-urlencoded"
    return is_form and b"%00" in request.body


def _is_nul(error: DataError) -> bool:
    return any(words in str(error) for words in ("NUL", "\\u0000"))
