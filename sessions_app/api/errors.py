"""
How the API says no: one shape for every error.

    {"error": {"code": "not_found", "message": "No session 'x'", "details": {}}}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from django.core.exceptions import ObjectDoesNotExist
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from sessions_app import errors, sql
from sessions_app.sql.outside import InTransaction

STATUSES: dict[type[errors.MemoryHubError], int] = {
    errors.BudgetExceeded: 402,
    errors.NotFound: 404,
    errors.Invalid: 422,
    errors.Conflict: 409,
    errors.Forbidden: 403,
    errors.TooLarge: 413,
    errors.RateLimited: 429,
    errors.Failed: 502,
}

# Seconds after which a client may try again.
RETRY_AFTER = "1"

# Says that a request has to be carried out without a transaction around it.
GOES_OUTSIDE = "MemoryHub-Goes-Outside"


def error_response(
    status: int, code: str, message: str, details: dict[str, Any] | None = None
) -> HttpResponse:
    error = {"code": code, "message": message, "details": details or {}}
    content = orjson.dumps({"error": error}, default=str)
    return HttpResponse(content, content_type="application/json", status=status)


def domain_response(exc: errors.MemoryHubError) -> HttpResponse:
    status = next(s for kind, s in STATUSES.items() if isinstance(exc, kind))
    response = error_response(status, exc.code, exc.message, exc.details)
    if isinstance(exc, errors.RateLimited):
        response["Retry-After"] = str(exc.details["retry_after"])
    return response


def busy_response() -> HttpResponse:
    response = error_response(
        503, "busy", "The database is busy with other writes: try again"
    )
    response["Retry-After"] = RETRY_AFTER
    return response


def install_error_handlers(api: NinjaAPI) -> None:
    @api.exception_handler(errors.MemoryHubError)
    def domain(request: HttpRequest, exc: errors.MemoryHubError) -> HttpResponse:
        return domain_response(exc)

    @api.exception_handler(ValidationError)
    def validation(request: HttpRequest, exc: ValidationError) -> HttpResponse:
        fields = [
            {
                "field": _field(each["loc"]),
                "message": each["msg"].removeprefix("Value error, "),
            }
            for each in exc.errors
        ]
        message = "; ".join(f"{each['field']}: {each['message']}" for each in fields)
        return error_response(422, "invalid", message, {"fields": fields})

    @api.exception_handler(AuthenticationError)
    def unauthenticated(request: HttpRequest, exc: AuthenticationError) -> HttpResponse:
        message = "Send a valid API key: Authorization: Bearer <key>"
        response = error_response(401, "unauthenticated", message)
        response["WWW-Authenticate"] = "Bearer"
        return response

    @api.exception_handler(HttpError)
    def unreadable(request: HttpRequest, exc: HttpError) -> HttpResponse:
        # Ninja hides what our parser said behind an error of its own.
        if isinstance(exc.__cause__, errors.MemoryHubError):
            return domain_response(exc.__cause__)
        return error_response(422, "invalid", str(exc))

    @api.exception_handler(ObjectDoesNotExist)
    def gone(request: HttpRequest, exc: ObjectDoesNotExist) -> HttpResponse:
        return error_response(404, "not_found", "It was deleted a moment ago")

    @api.exception_handler(InTransaction)
    def in_transaction(request: HttpRequest, exc: InTransaction) -> HttpResponse:
        # The transaction is that of an Idempotency-Key, which has it done again.
        response = busy_response()
        response.headers[GOES_OUTSIDE] = "1"
        return response

    @api.exception_handler(OperationalError)
    def operational(request: HttpRequest, exc: OperationalError) -> HttpResponse:
        if sql.is_busy(exc):
            return busy_response()
        raise exc


def _field(loc: Sequence[str | int]) -> str:
    """Name a field as its sender knows it: without the place and the parameter."""
    names = loc[2:] if loc[0] == "body" else loc[1:]
    return ".".join(map(str, names)) or str(loc[0])
