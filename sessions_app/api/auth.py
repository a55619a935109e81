"""Who calls: API keys, looked up by one statement on every request."""

from __future__ import annotations

import time
from dataclasses import dataclass

from django.db import OperationalError, transaction
from django.http import HttpRequest
from ninja.errors import AuthenticationError
from ninja.security import HttpBearer

from sessions_app import sql
from sessions_app.api.pace import check_pace
from sessions_app.errors import Forbidden
from sessions_app.models import ApiKey
from sessions_app.models.fields import now_millis
from sessions_app.services.registry.keys import digest

Scope = ApiKey.Scope
RANKS = {Scope.READ: 0, Scope.WRITE: 1, Scope.ADMIN: 2}

# How exact "last used" is, in seconds: each use would be a write otherwise.
TOUCH_EVERY = 60

KEY = """
SELECT id, agent_id, scope, prefix
FROM sessions_app_apikey
WHERE digest = %(digest)s
    AND revoked_at IS NULL
    AND (expires_at IS NULL OR expires_at > %(now)s)
"""

TOUCH = "UPDATE sessions_app_apikey SET last_used_at = %(now)s WHERE id = %(id)s"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose key it is; ``agent_id`` None stands for all agents."""

    key_id: int
    agent_id: int | None
    scope: str
    prefix: str

    def require(self, scope: Scope) -> None:
        """
        :raises Forbidden: if the key may not do what needs ``scope``
        """
        if RANKS[Scope(self.scope)] < RANKS[scope]:
            raise Forbidden(f"This needs a key of scope {scope}: yours is {self.scope}")


class ApiRequest(HttpRequest):
    auth: Caller


class KeyAuth(HttpBearer):
    """Lets in a key of the scope, by default what the method needs."""

    def __init__(self, scope: Scope | None = None) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> Caller | None:
        token = bearer_token(request)
        return self.authenticate(request, token) if token is not None else None

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        caller = find_caller(token)
        if caller is None:
            raise AuthenticationError
        check_pace(caller.key_id)
        reading = request.method in ("GET", "HEAD")
        caller.require(self.scope or (Scope.READ if reading else Scope.WRITE))
        return caller


def caller_of(request: HttpRequest) -> Caller | None:
    """Return who calls, where a face must know before ninja does."""
    token = bearer_token(request)
    return find_caller(token) if token is not None else None


def bearer_token(request: HttpRequest) -> str | None:
    """Return what an Authorization header holds, if it is one of a bearer."""
    kind, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def find_caller(token: str) -> Caller | None:
    row = sql.first(KEY, digest=digest(token), now=now_millis())
    if row is None:
        return None
    caller = Caller(*row)
    _touch(caller.key_id)
    return caller


_touched: dict[int, float] = {}


def _touch(key_id: int) -> None:
    now = time.monotonic()
    if now - _touched.get(key_id, -TOUCH_EVERY) < TOUCH_EVERY:
        return
    _touched[key_id] = now
    try:
        with transaction.atomic():
            sql.execute(TOUCH, id=key_id, now=now_millis())
    except OperationalError:
        # The request matters more than the note; the next one makes it.
        del _touched[key_id]
