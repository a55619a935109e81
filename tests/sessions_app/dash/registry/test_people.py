from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from sessions_app.services.registry.people import create_person, role_name
from tests.people import PASSWORD

pytestmark = pytest.mark.django_db
ALL = ("/people", "/keys")


def logged_in(name, password):
    client = Client()
    response = client.post("/login", {"username": name, "password": password})
    return client if response.status_code == 302 else None


def act(client, user, do, **fields):
    return client.post(f"/people/{user.pk}", {"do": do, **fields})


@pytest.fixture
def olga(db):
    return create_person(username="olga", role="operator", password=PASSWORD)[0]


def test_a_person_gets_a_password_that_is_shown_once(manager):
    response = manager.post("/people", {"username": "nora", "role": "viewer"})

    password = response.context["password"]
    assert password in response.content.decode()
    assert response["Cache-Control"] == "no-store"
    assert password not in manager.get("/people").content.decode()
    nora = logged_in("nora", password)
    assert nora.get("/agents").status_code == 200
    assert nora.post("/agents", {"name": "x"}).status_code == 403


def test_a_password_may_be_given(manager):
    given = {"username": "nora", "role": "admin", "password": PASSWORD}
    assert manager.post("/people", given).status_code == 303
    nora = User.objects.get(username="nora")
    assert role_name(nora) == "admin"
    assert logged_in("nora", PASSWORD).get("/keys").status_code == 200
    assert logged_in("nora", PASSWORD).get("/admin/").status_code == 200


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"username": "OLGA"}, 409),
        ({"username": " "}, 422),
        ({"role": "root"}, 422),
        ({"password": "short"}, 422),
        ({"username": "x" * 151}, 422),
    ],
)
def test_who_cannot_be(manager, olga, fields, status):
    before = User.objects.count()
    given = {"username": "nora", "role": "viewer"} | fields
    response = manager.post("/people", given)
    assert response.status_code == status
    assert "Nothing was changed" in response.content.decode()
    assert User.objects.count() == before


def test_a_role_holds_at_once(manager, olga):
    client = logged_in("olga", PASSWORD)
    assert client.post("/agents", {"name": "one"}).status_code == 303

    assert act(manager, olga, "role", role="viewer").status_code == 303

    assert client.post("/agents", {"name": "two"}).status_code == 403
    act(manager, olga, "role", role="admin")
    assert client.get("/keys").status_code == 200
    act(manager, olga, "role", role="viewer")
    assert client.get("/keys").status_code == 403
    assert client.get("/admin/").status_code == 302
    assert (
        manager.post(f"/people/{olga.pk}", {"do": "role", "role": "x"}).status_code
        == 422
    )


def test_a_deactivation_holds_at_once(manager, olga):
    client = logged_in("olga", PASSWORD)

    act(manager, olga, "deactivate")

    assert client.get("/agents").status_code == 302
    assert logged_in("olga", PASSWORD) is None
    act(manager, olga, "activate")
    assert logged_in("olga", PASSWORD).get("/agents").status_code == 200


def test_a_new_password_ends_the_logins(manager, olga):
    client = logged_in("olga", PASSWORD)

    password = act(manager, olga, "reset").context["password"]

    assert client.get("/agents").status_code == 302
    assert logged_in("olga", PASSWORD) is None
    assert logged_in("olga", password)


@pytest.mark.parametrize("do", ["deactivate", "delete", "role"])
def test_the_last_admin_stays(manager, olga, do):
    ada = User.objects.get(username="ada")
    User.objects.filter(username="ada").update(is_superuser=False)

    act(manager, ada, do, role="viewer")

    assert "the last admin" in manager.get("/people").content.decode()
    act(manager, olga, "role", role="admin")
    act(manager, olga, "deactivate")
    act(manager, ada, do, role="viewer")
    assert User.objects.filter(username="ada", is_active=True).exists()
    assert manager.get("/people").status_code == 200
    # With another active one it goes.
    act(manager, olga, "activate")
    act(manager, ada, do, role="viewer")
    assert manager.get("/people").status_code in (302, 403)


def test_a_person_is_deleted(manager, olga):
    act(manager, olga, "delete")
    assert not User.objects.filter(username="olga").exists()


@pytest.mark.parametrize("do", ["", "promote"])
def test_nothing_to_do(manager, olga, do):
    assert act(manager, olga, do).status_code == 404
    assert manager.post("/people/999", {"do": "reset"}).status_code == 404
    assert manager.get(f"/people/{olga.pk}").status_code == 404


def test_a_name_is_shown_as_it_is(manager):
    create_person(username="<img src=x>", role="viewer")
    text = manager.get("/people").content.decode()
    assert "<img src=x>" not in text
    assert "&lt;img src=x&gt;" in text


@pytest.mark.parametrize("who", ["viewer", "operator"])
def test_only_admins_see_people(request, who, olga):
    client = request.getfixturevalue(who)
    assert client.get("/people").status_code == 403
    assert act(client, olga, "reset").status_code == 403
    assert client.post("/people", {"username": "x", "role": "admin"}).status_code == 403


def test_everyone_changes_their_own_password(olga):
    client, other = logged_in("olga", PASSWORD), logged_in("olga", PASSWORD)
    new = "another battery staple"

    wrong = client.post("/password", {"old": "no", "new": new})
    assert wrong.status_code == 422
    assert "present password is wrong" in wrong.content.decode()
    assert (
        client.post("/password", {"old": PASSWORD, "new": "12345678"}).status_code
        == 422
    )
    assert client.post("/password", {"old": PASSWORD, "new": new}).status_code == 303

    assert client.get("/agents").status_code == 200
    assert other.get("/agents").status_code == 302
    assert logged_in("olga", new)
    assert Client().get("/password").status_code == 302
