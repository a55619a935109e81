"""Making sessions."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.timezone import now
from uuid_utils.compat import uuid7

from sessions_app.errors import Conflict
from sessions_app.models import Agent, Session
from sessions_app.services.forest.followers import tell_created


class SessionExists(Conflict):
    code = "session_exists"


@transaction.atomic
def create_session(
    *,
    agent: Agent,
    key: str | None = None,
    ttl_seconds: int | None = None,
    **fields: Any,
) -> Session:
    """
    Make an empty session. ``fields`` are the model's, by their names.

    :raises SessionExists: if the agent has a session with that key
    """
    moment = now()
    session = insert_session(
        agent=agent,
        key=key or str(uuid7()),
        expires_at=moment + timedelta(seconds=ttl_seconds) if ttl_seconds else None,
        created_at=moment,
        updated_at=moment,
        **fields,
    )
    tell_created(session)
    return session


def insert_session(*, key: str, **fields: Any) -> Session:
    """
    Write the row of a session, and nothing else.

    :raises SessionExists: if the agent has a session with that key
    """
    try:
        with transaction.atomic():
            return Session.objects.create(key=key, **fields)
    except IntegrityError as exc:
        raise _exists(key) from exc


def check_key_is_free(agent_id: int, key: str) -> None:
    """
    See that a key may be taken, also from a session that is in the trash or has expired.

    :raises SessionExists: if the agent has a living session with that key
    """
    named = Session.objects.filter(agent=agent_id, key=key)
    # One at most: a key is unique.
    named.gone().update(key=str(uuid7()))
    if named.exists():
        raise _exists(key)


def _exists(key: str) -> SessionExists:
    return SessionExists(f"There is a session {key!r} already", id=key)
