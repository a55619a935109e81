"""
API keys: random secrets, of which only a SHA-256 digest is kept.

A plain digest is enough, since nobody can guess 256 random bits. The first
characters are kept in the clear, so that a person can tell keys apart.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime

from django.utils.timezone import now

from sessions_app.errors import Invalid, NotFound
from sessions_app.models import Agent, ApiKey

PREFIX = "mh_"
SHOWN = 10


class ScopeTooNarrow(Invalid):
    code = "scope_too_narrow"


def create_key(
    *,
    agent: Agent | None,
    scope: str = ApiKey.Scope.WRITE,
    name: str = "",
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """
    Make a key, and return it with its secret, which cannot be had again.

    Without an agent it opens all agents' data.

    :raises ScopeTooNarrow: if a key for all agents is not of scope admin
    :raises Invalid: if it would have expired before it is made
    """
    if expires_at is not None and expires_at <= now():
        raise Invalid("expires_at: has to be in the future", field="expires_at")
    if agent is None and scope != ApiKey.Scope.ADMIN:
        raise ScopeTooNarrow("A key for all agents must have the scope admin")
    secret = PREFIX + secrets.token_urlsafe(32)
    key = ApiKey.objects.create(
        agent=agent,
        name=name,
        scope=scope,
        prefix=secret[:SHOWN],
        digest=digest(secret),
        expires_at=expires_at,
    )
    return key, secret


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def revoke_key(prefix: str) -> None:
    """
    End a key's life at once. Its row stays, to show what it was.

    :raises NotFound: if there is no such key, or it was revoked before
    """
    living = ApiKey.objects.filter(prefix=prefix, revoked_at=None)
    if not living.update(revoked_at=now()):
        raise NotFound(f"No key {prefix!r}")
