"""Renaming and archiving from a session's head."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.builders import fresh

pytestmark = pytest.mark.django_db


def test_a_session_is_renamed_and_back(session, operator):
    session.name = "before"
    session.save()
    address = reverse("session-rename", args=[session.pk])
    answer = operator.post(address, {"name": " after <b> ", "next": "/sessions"})
    assert (answer.status_code, answer.url) == (303, "/sessions")
    assert fresh(session).name == "after <b>"
    page = operator.get("/sessions").content.decode()
    assert "Renamed to" in page
    assert "after <b>" not in page
    operator.post(f"{address}?name=before")
    assert fresh(session).name == "before"


@pytest.mark.parametrize("name", ["x" * 501, "a\nb", "a\0b"])
def test_bad_names(session, operator, name):
    address = reverse("session-rename", args=[session.pk])
    assert operator.post(address, {"name": name}).status_code == 422
    assert fresh(session).name == ""


def test_a_session_is_archived_and_back(session, operator):
    address = reverse("session-archive", args=[session.pk])
    assert operator.post(address, {"archived": "yes"}).status_code == 303
    assert fresh(session).archived_at
    operator.post(f"{address}?archived=no")
    assert fresh(session).archived_at is None


@pytest.mark.parametrize("name", ["session-rename", "session-archive"])
def test_who_may(session, client, viewer, operator, name):
    address = reverse(name, args=[session.pk])
    assert client.post(address).url.startswith("/login")
    assert viewer.post(address, {"name": "x", "archived": "yes"}).status_code == 403
    assert operator.get(address).status_code == 405
    assert operator.post(reverse(name, args=[10**9])).status_code == 404
    assert fresh(session).name == ""
    assert fresh(session).archived_at is None
