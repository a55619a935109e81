"""In, out, and who may see what."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings

from tests.people import PASSWORD, client_of, person

pytestmark = pytest.mark.django_db


def log_in(client: Client, password: str = PASSWORD, **extra: str):
    return client.post("/login", {"username": "vera", "password": password, **extra})


def test_a_stranger_is_led_to_the_login_and_back(client):
    person("vera", "viewer")

    response = client.get("/spend?range=7d")
    assert response["Location"] == "/login?next=/spend%3Frange%3D7d"
    assert log_in(client, next="/spend?range=7d")["Location"] == "/spend?range=7d"
    assert client.get("/spend").status_code == 200


def test_a_piece_leads_the_whole_page_to_the_login(client):
    response = client.get(
        "/spend",
        headers={"HX-Request": "true", "HX-Current-URL": "http://testserver/spend"},
    )

    assert response["HX-Redirect"] == "/login?next=/spend"


def test_nobody_is_led_elsewhere(client):
    person("vera", "viewer")

    assert log_in(client, next="https://evil.example/")["Location"] == "/"


def test_the_login_has_a_new_session(client):
    person("vera", "viewer")
    client.get("/login")
    client.session.save()
    before = client.session.session_key

    log_in(client)

    assert client.session.session_key != before


def test_a_wrong_password_says_no_more_than_that(client):
    person("vera", "viewer")

    known = log_in(client, "wrong").content.decode()
    unknown = client.post("/login", {"username": "nobody", "password": "wrong"})

    assert "The user name or the password is wrong" in known
    assert "The user name or the password is wrong" in unknown.content.decode()


@override_settings(AXES_FAILURE_LIMIT=3)
def test_too_many_wrong_ones_are_answered_with_a_pause(client):
    person("vera", "viewer")
    for _ in range(3):
        response = log_in(client, "wrong")

    assert response.status_code == 429
    assert "Too many wrong passwords" in response.content.decode()
    assert log_in(client).status_code == 429


def test_out_is_a_post(viewer):
    assert viewer.get("/logout").status_code == 405
    assert viewer.get("/").status_code == 200

    viewer.post("/logout")

    assert viewer.get("/").status_code == 302


def test_without_a_role_there_is_nothing_to_see():
    response = client_of("nora", None).get("/")

    assert response.status_code == 403
    assert "ask an admin" in response.content.decode()


def test_a_superuser_is_an_admin(client):
    client.force_login(
        User.objects.create_superuser("root"),
        "django.contrib.auth.backends.ModelBackend",
    )

    assert "/keys" in client.get("/").content.decode()


def test_the_theme_is_kept_and_comes_from_the_server(viewer):
    response = viewer.post(
        "/preferences",
        {"theme": "dark"},
        headers={"Referer": "http://testserver/spend"},
    )

    assert response["Location"] == "http://testserver/spend"
    assert 'data-theme="dark"' in viewer.get("/").content.decode()
    assert "HttpOnly" in response.cookies["theme"].output()


def test_preferences_lead_nowhere_else(viewer):
    response = viewer.post(
        "/preferences", {"theme": "pink"}, headers={"Referer": "https://evil.example/"}
    )

    assert response["Location"] == "/"
    assert "theme" not in response.cookies


def test_single_keys_may_be_off(viewer):
    assert "data-keys" in viewer.get("/").content.decode()

    viewer.post("/preferences", {"keys": "off"})

    assert "data-keys" not in viewer.get("/").content.decode()
