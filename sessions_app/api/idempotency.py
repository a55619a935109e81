"""
Idempotency-Key: a request that is sent twice is carried out once.

The note of the answer is written in the same transaction as the work, so there is
no moment at which one is there without the other. What was refused left nothing
behind, and may be tried again with the same key. Only 402 leaves what was spent, of
which `once_of` makes sure that it counts once.

What goes to a network (documents in a bucket) cannot be part of a transaction: the
note is written after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse

from sessions_app import sql
from sessions_app.api.auth import ApiRequest, Caller, caller_of
from sessions_app.api.errors import GOES_OUTSIDE, busy_response, error_response
from sessions_app.models import IdempotencyRecord

HEADER = "Idempotency-Key"
META = "HTTP_IDEMPOTENCY_KEY"
LONGEST = 200
PAYMENT_REQUIRED = 402

GetResponse = Callable[[HttpRequest], HttpResponse]


class Idempotency:
    """The middleware, for POST requests to the API that carry the header."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        key = request.META.get(META)
        if key is None or request.method != "POST":
            return self.get_response(request)
        if not (0 < len(key) <= LONGEST and key.isprintable()):
            message = f"{HEADER}: must be 1 to {LONGEST} printable characters"
            return error_response(422, "invalid", message, {"field": HEADER})
        try:
            caller = caller_of(request)
            if caller is None:
                return self.get_response(request)
            with transaction.atomic():
                response = self._answer_once(request, caller, key)
            if GOES_OUTSIDE in response.headers:
                return self._answer_and_note(request, caller, key)
            return response
        except OperationalError as exc:
            if sql.is_busy(exc):
                return busy_response()
            raise

    def _answer_once(
        self, request: HttpRequest, caller: Caller, key: str
    ) -> HttpResponse:
        digest = _digest(request)
        record, is_first = _claim(caller, key, digest)
        if not is_first:
            return _answer_again(record, digest)
        response = self.get_response(request)
        if response.status_code < 300:
            _note(record, response)
        elif response.status_code == PAYMENT_REQUIRED:
            record.delete()
        else:
            transaction.set_rollback(True)
        return response

    def _answer_and_note(
        self, request: HttpRequest, caller: Caller, key: str
    ) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code < 300:
            with transaction.atomic():
                record, is_first = _claim(caller, key, _digest(request))
                if is_first:
                    _note(record, response)
        return response


def _note(record: IdempotencyRecord, response: HttpResponse) -> None:
    record.status = response.status_code
    record.content = response.content.decode()
    record.save(update_fields=["status", "content"])


def _claim(caller: Caller, key: str, digest: str) -> tuple[IdempotencyRecord, bool]:
    """
    Return the key's record, and whether it is ours.

    PostgreSQL lets the insert wait for one of the same key that is under way.
    """
    ours = IdempotencyRecord(api_key_id=caller.key_id, key=key, digest=digest)
    IdempotencyRecord.objects.bulk_create([ours], ignore_conflicts=True)
    record = IdempotencyRecord.objects.get(api_key=caller.key_id, key=key)
    return record, record.status == 0


def _answer_again(record: IdempotencyRecord, digest: str) -> HttpResponse:
    if record.digest != digest:
        return error_response(
            422,
            "idempotency_key_reused",
            "This Idempotency-Key was sent with another request: make a new one",
        )
    response = HttpResponse(
        record.content, content_type="application/json", status=record.status
    )
    response["Idempotency-Replayed"] = "true"
    return response


def once_of(request: ApiRequest) -> str | None:
    """Return an id that a request shares with its repetitions alone, if it has a key."""
    key = request.META.get(META)
    if key is None:
        return None
    whole = f"{request.auth.key_id} {key} {_digest(request)}"
    return "once_" + hashlib.sha256(whole.encode()).hexdigest()[:32]


def _digest(request: HttpRequest) -> str:
    path = request.get_full_path().encode()
    return hashlib.sha256(path + b"\n" + request.body).hexdigest()
