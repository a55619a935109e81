from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session as Login
from django.test import Client
from django.utils.timezone import now

from sessions_app.models import ApiKey
from sessions_app.services.registry.keys import create_key, digest
from tests.api import Api

pytestmark = pytest.mark.django_db


def form_of(client):
    """Return the sign of a form that was shown, as a browser sends it along."""
    return client.get("/keys").context["form"]


def make(client, **fields):
    given = {"agent": "support", "scope": "write", "life": "never", "name": "laptop"}
    return client.post("/keys", given | {"form": form_of(client)} | fields)


def test_a_key_is_shown_once(manager, agent, caplog):
    caplog.set_level(logging.DEBUG)
    response = make(manager)

    secret = response.context["secret"]
    assert response.status_code == 200
    assert f'id="secret">{secret}<' in response.content.decode()
    assert response["Cache-Control"] == "no-store"
    assert ApiKey.objects.get().digest == digest(secret)
    assert Api(secret).get("/sessions").status_code == 200
    assert secret not in manager.get("/keys").content.decode()
    assert secret not in caplog.text
    assert all(secret not in str(login.get_decoded()) for login in Login.objects.all())


def test_a_form_that_is_sent_again_makes_no_second_key(manager, agent):
    form = form_of(manager)
    assert make(manager, form=form).status_code == 200

    again = make(manager, form=form)

    assert again.status_code == 409
    assert "was sent before" in again.content.decode()
    assert ApiKey.objects.count() == 1


def test_the_list_tells_keys_apart(manager, agent):
    living, _ = create_key(agent=agent, name="<script>alert(1)</script>")
    create_key(agent=None, scope="admin", name="root")
    over, _ = create_key(agent=agent, expires_at=now() + timedelta(days=1))
    ApiKey.objects.filter(id=over.id).update(expires_at=now() - timedelta(days=1))
    gone, _ = create_key(agent=agent)
    ApiKey.objects.filter(id=gone.id).update(revoked_at=now())

    page = manager.get("/keys")
    text = page.content.decode()

    assert "<script>alert" not in text
    assert "all agents" in text
    states = {key.prefix: key.state for key in page.context["page"]}
    assert states[living.prefix] == "active"
    assert states[over.prefix] == "expired"
    assert states[gone.prefix] == "revoked"
    for state, count in (("active", 2), ("expired", 1), ("revoked", 1)):
        assert len(manager.get("/keys", {"state": state}).context["page"]) == count
    assert len(manager.get("/keys", {"agent": "support"}).context["page"]) == 3


def test_empty_and_no_match_differ(manager, agent):
    assert "No keys yet" in manager.get("/keys").content.decode()
    create_key(agent=agent)
    text = manager.get("/keys", {"state": "revoked"}).content.decode()
    assert "No key matches" in text
    assert "No keys yet" not in text


def test_a_key_is_revoked(manager, agent):
    key, secret = create_key(agent=agent)
    ApiKey.objects.update(last_used_at=now() - timedelta(minutes=3))
    assert "Last used 3 min ago" in manager.get("/keys").content.decode()

    response = manager.post(f"/keys/{key.id}/revoke")

    assert response.status_code == 303
    assert Api(secret).get("/sessions").status_code == 401
    assert manager.post(f"/keys/{key.id}/revoke").status_code == 404
    assert manager.post("/keys/999/revoke").status_code == 404
    assert manager.get(f"/keys/{key.id}/revoke").status_code == 404


@pytest.mark.parametrize(
    "fields",
    [
        {"scope": "root"},
        {"agent": "nobody"},
        {"agent": ""},
        {"life": "7"},
        {"name": "a\0b"},
        {"name": "x" * 201},
    ],
)
def test_what_cannot_be_is_refused_and_kept(manager, agent, fields):
    response = make(manager, **{"name": "kept"} | fields)

    assert response.status_code == 422
    assert "Nothing was changed" in response.content.decode()
    if "name" not in fields:
        assert 'value="kept"' in response.content.decode()
    assert not ApiKey.objects.exists()


def test_a_life(manager, agent):
    make(manager, life="30")
    left = ApiKey.objects.get().expires_at - now()
    assert timedelta(days=29) < left <= timedelta(days=30)


@pytest.mark.parametrize("who", ["viewer", "operator"])
def test_only_admins_see_keys(request, who, agent):
    client = request.getfixturevalue(who)
    assert client.get("/keys").status_code == 403
    assert client.post("/keys", {"scope": "write"}).status_code == 403
    assert not ApiKey.objects.exists()


def test_strangers_are_sent_to_the_login():
    assert Client().get("/keys")["Location"] == "/login?next=/keys"


def test_queries(manager, agent, django_assert_num_queries):
    for _ in range(5):
        create_key(agent=agent)
    manager.get("/keys")
    # Login session, person, groups; the keys counted and read, agents twice, the
    # form's sign; the session is saved.
    with django_assert_num_queries(10):
        manager.get("/keys")
