"""People who are logged in to the dashboard, one of each role."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

PASSWORD = "correct horse battery"


def person(name: str, role: str | None) -> User:
    """Return a person of a role, made if need be; without one they see nothing."""
    user = User.objects.filter(username=name).first()
    user = user or User.objects.create_user(name, password=PASSWORD)
    if role is not None:
        user.groups.set([Group.objects.get_or_create(name=role)[0]])
    return user


def client_of(name: str, role: str | None) -> Client:
    client = Client()
    client.force_login(person(name, role), "django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def viewer(db: None) -> Client:
    return client_of("vera", "viewer")


@pytest.fixture
def operator(db: None) -> Client:
    return client_of("oscar", "operator")


@pytest.fixture
def manager(db: None) -> Client:
    """An admin."""
    return client_of("ada", "admin")
