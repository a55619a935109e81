from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now

from sessions_app.api import auth
from sessions_app.models import ApiKey
from tests.api import Api, api_of, refusal, walk

URL = "/keys"


def make(api, **fields):
    return api.post(URL, fields).json()


def test_it_makes_one_and_shows_its_secret_once(admin_api, agent):
    response = admin_api.post(URL, {"agent": "support", "name": "laptop"})

    assert response.status_code == 201
    made = response.json()
    secret = made.pop("secret")
    assert secret.startswith(made["prefix"])
    assert (made["agent"], made["scope"], made["name"]) == (
        "support",
        "write",
        "laptop",
    )
    assert Api(secret).get("/sessions").status_code == 200
    listed = admin_api.get(URL)
    assert made["prefix"] in [each["prefix"] for each in listed.json()["items"]]
    assert secret.encode() not in listed.content


def test_the_secret_is_kept_nowhere(admin_api, agent):
    secret = make(admin_api, agent="support")["secret"]

    assert secret not in str(ApiKey.objects.values())


def test_it_lists_the_newest_first(admin_api, agent):
    prefixes = [make(admin_api, agent="support")["prefix"] for _ in range(4)]

    listed = [each["prefix"] for each in walk(admin_api, URL, limit=2)]

    assert listed[:4] == prefixes[::-1]
    assert len(listed) == 5


def test_a_key_for_all_agents(admin_api, agent):
    made = make(admin_api, scope="admin")

    assert made["agent"] is None
    assert Api(made["secret"]).get("/agents/support").status_code == 200


def test_a_revoked_key_ends_at_once(admin_api, agent):
    made = make(admin_api, agent="support")
    api = Api(made["secret"])
    assert api.get("/sessions").status_code == 200

    assert admin_api.delete(f"{URL}/{made['prefix']}").status_code == 204

    assert refusal(api.get("/sessions")) == (401, "unauthenticated")
    listed = admin_api.get(URL).json()["items"]
    assert next(e for e in listed if e["prefix"] == made["prefix"])["revoked_at"]
    again = admin_api.delete(f"{URL}/{made['prefix']}")
    assert refusal(again) == (404, "not_found")


def test_no_key_that_has_expired_is_made(admin_api, agent):
    past = (now() - timedelta(hours=1)).isoformat()

    response = admin_api.post(URL, {"agent": "support", "expires_at": past})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["field"] == "expires_at"
    assert not ApiKey.objects.filter(agent=agent, scope="write").exists()


def test_a_key_ends_when_it_expires(admin_api, agent):
    soon = (now() + timedelta(hours=1)).isoformat()
    made = make(admin_api, agent="support", expires_at=soon)
    api = Api(made["secret"])
    assert api.get("/sessions").status_code == 200

    ApiKey.objects.filter(prefix=made["prefix"]).update(expires_at=now())

    assert refusal(api.get("/sessions")) == (401, "unauthenticated")


def test_the_end_is_of_utc(admin_api, agent):
    made = make(admin_api, agent="support", expires_at="2099-01-01T02:00:00+02:00")
    plain = make(admin_api, agent="support", expires_at="2099-01-01T00:00:00")

    assert made["expires_at"] == plain["expires_at"] == "2099-01-01T00:00:00.000Z"


def test_it_says_when_it_was_last_used(admin_api, agent, monkeypatch):
    monkeypatch.setattr(auth, "_touched", {})
    made = make(admin_api, agent="support")

    Api(made["secret"]).get("/sessions")

    first, _ = admin_api.get(URL).json()["items"]
    assert first["last_used_at"] >= first["created_at"]


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
def test_a_scope_holds_those_below(agent, scope):
    api = api_of(agent, scope)
    calls = [api.get("/sessions"), api.post("/sessions", {}), api.get(URL)]

    allowed = [response.status_code != 403 for response in calls]

    assert allowed == [True, scope != "read", scope == "admin"]


def test_an_agents_own_administrator_sees_and_makes_its_own(agent, stranger, admin_api):
    own = api_of(agent, "admin")
    theirs = make(admin_api, agent="stranger")["prefix"]

    assert {each["agent"] for each in own.get(URL).json()["items"]} == {"support"}
    assert make(own, agent="support")["agent"] == "support"
    assert refusal(own.post(URL, {"agent": "stranger"})) == (404, "not_found")
    assert refusal(own.post(URL, {"scope": "admin"})) == (403, "forbidden")
    assert refusal(own.delete(f"{URL}/{theirs}")) == (404, "not_found")


@pytest.mark.parametrize("scope", ["read", "write"])
def test_only_an_administrators_key_opens_all(admin_api, scope):
    response = admin_api.post(URL, {"scope": scope})

    assert refusal(response) == (422, "scope_too_narrow")


def test_its_agent_must_be_there(admin_api):
    assert refusal(admin_api.post(URL, {"agent": "none"})) == (404, "not_found")


CALLS: list[tuple[str, str, Any]] = [
    ("GET", URL, None),
    ("POST", URL, {}),
    ("DELETE", f"{URL}/mh_x", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_it_needs_a_key(anonymous, method, path, body):
    assert refusal(anonymous.call(method, path, body)) == (401, "unauthenticated")


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_it_needs_an_administrators_key(api, method, path, body):
    assert refusal(api.call(method, path, body)) == (403, "forbidden")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("agent", ""),
        ("agent", 5),
        ("scope", "root"),
        ("scope", None),
        ("name", "x" * 201),
        ("name", None),
        ("expires_at", "soon"),
        ("expires_at", 1_700_000_000),
        ("expires_at", "9999-12-31T23:59:59-12:00"),
        ("secret", "mine"),
    ],
)
def test_what_cannot_be_is_named(admin_api, agent, field, value):
    response = admin_api.post(URL, {"agent": "support", field: value})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer none",
        "Basic abc",
        "none",
        "Bearer ü",
        "Bearer a b",
    ],
)
def test_no_other_header_will_do(anonymous, header):
    response = anonymous.call("GET", "/sessions", Authorization=header)

    assert refusal(response) == (401, "unauthenticated")
    assert response["WWW-Authenticate"] == "Bearer"


def test_the_word_bearer_may_be_small(admin_api, agent):
    secret = make(admin_api, agent="support")["secret"]
    anonymous = Api(None)

    response = anonymous.call("GET", "/sessions", Authorization=f"bearer {secret}")

    assert response.status_code == 200
