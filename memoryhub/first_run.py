from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from sessions_app.models import Agent, ApiKey
from sessions_app.services.registry.agents import get_or_create_agent
from sessions_app.services.registry.keys import create_key

USERNAME = "admin"


@dataclass(frozen=True)
class Credentials:
    """What the first start prints, and nobody can read again."""

    username: str
    password: str
    key: str


def set_up() -> Credentials | None:
    """
    Make the first login and the first key; None where there is either.

    Two servers that start on one new database do it once: the user's name is
    unique.
    """
    password = secrets.token_urlsafe(12)
    try:
        with transaction.atomic():
            superusers = User.objects.filter(is_superuser=True)
            if superusers.exists() or ApiKey.objects.exists():
                return None
            User.objects.create_superuser(USERNAME, password=password)
            get_or_create_agent(Agent.DEFAULT)
            _, secret = create_key(agent=None, scope="admin", name="first key")
    except IntegrityError:
        return None
    return Credentials(USERNAME, password, secret)
