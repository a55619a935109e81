"""Pages of what went wrong, and the headers that every page carries."""

from __future__ import annotations

import pytest
from django.db import OperationalError
from django.test import Client

from memoryhub.dash import overview

PIECE = {"HX-Request": "true"}


def test_a_page_that_is_not_there_says_so(viewer):
    response = viewer.get("/sessions/424242")

    assert response.status_code == 404
    assert "There is no session 424242" in response.content.decode()


def test_a_path_that_leads_nowhere(viewer):
    assert "There is no such page" in viewer.get("/nowhere").content.decode()


def test_a_refusal_names_the_field(viewer):
    response = viewer.get("/spend?range=2y")

    assert response.status_code == 422
    assert "range: must be one of" in response.content.decode()


@pytest.mark.parametrize("query", ["leaf=%00", "q=a%00b"])
def test_a_nul_character_is_refused_on_both_databases(viewer, session, query):
    response = viewer.get(f"/sessions/{session.pk}?{query}")

    assert response.status_code == 422
    assert "NUL" in response.content.decode()


def test_also_in_a_form(operator, session):
    response = operator.post(
        f"/sessions/{session.pk}/rename",
        "name=a%00b",
        content_type="application/x-www-form-urlencoded",
    )

    assert response.status_code == 422


def test_for_a_piece_it_is_a_piece(viewer):
    body = viewer.get("/spend?range=2y", headers=PIECE).content.decode()

    assert "<html" not in body
    assert 'role="alert"' in body


def test_every_page_has_an_id_to_ask_about(viewer):
    first, second = viewer.get("/"), viewer.get("/nowhere")

    assert first["X-Request-Id"] != second["X-Request-Id"]
    assert second["X-Request-Id"] in second.content.decode()


@pytest.mark.parametrize("piece", [False, True])
def test_a_locked_database_is_busy_not_broken(viewer, monkeypatch, piece):
    def locked():
        raise OperationalError("database is locked")

    monkeypatch.setattr(overview, "matters", locked)

    response = viewer.get("/", headers=PIECE if piece else {})

    assert response.status_code == 503
    assert response["Retry-After"] == "2"
    assert "The database is busy" in response.content.decode()


def test_what_nobody_expected_is_a_page_too(viewer, monkeypatch, caplog):
    def broken():
        raise RuntimeError("secret detail")

    monkeypatch.setattr(overview, "matters", broken)
    viewer.raise_request_exception = False

    response = viewer.get("/")

    body = response.content.decode()
    assert response.status_code == 500
    assert "secret detail" not in body
    assert response["X-Request-Id"] in body
    assert response["X-Request-Id"] in caplog.text


def test_a_form_without_its_token_is_refused_kindly(db):
    client = Client(enforce_csrf_checks=True)

    response = client.post("/preferences", {"theme": "dark"})

    assert response.status_code == 403
    assert "This form is too old" in response.content.decode()


def test_the_policy_allows_nothing_inline(viewer):
    policy = viewer.get("/")["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_a_page_differs_from_its_piece_and_is_private(viewer):
    response = viewer.get("/spend")

    assert "HX-Request" in response["Vary"]
    assert "private" in response["Cache-Control"]
    assert response["X-Frame-Options"] == "DENY"


def test_the_api_has_none_of_it(api):
    response = api.get("/sessions")

    assert "X-Request-Id" not in response.headers
    assert "Content-Security-Policy" not in response.headers
