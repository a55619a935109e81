from __future__ import annotations

from uuid import UUID

import pytest

from sessions_app.models import Agent
from tests.api import api_of, counts, refusal

URL = "/sessions"
NOTHING_USED = {
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read_tokens": 0,
    "cache_write_tokens": 0,
    "reasoning_tokens": 0,
    "cost_usd": None,
    "unpriced": 0,
}


def test_it_works(api):
    response = api.post(URL, {"id": "trip", "name": "To Rome", "model": "m1"})

    assert response.status_code == 201
    made = response.json()
    assert made["created_at"] == made["updated_at"]
    assert made == made | {
        "id": "trip",
        "name": "To Rome",
        "agent": "support",
        "parent_session": None,
        "fork_point": None,
        "head": None,
        "model": "m1",
        "source": "",
        "kind": "chat",
        "end_reason": "",
        "metadata": {},
        "ephemeral": False,
        "compact_after": None,
        "message_count": 0,
        "path_length": 0,
        "context_tokens": 0,
        "usage": NOTHING_USED,
        "archived_at": None,
        "expires_at": None,
    }


def test_it_takes_every_field(api, session):
    fields = {
        "name": "N",
        "agent": "support",
        "model": "m",
        "source": "cli",
        "kind": "coding",
        "parent_session": session.key,
        "metadata": {"a": [1, None, {"b": "ü"}]},
        "ephemeral": True,
        "compact_after": 1000,
        "kv_cap": 5,
        "transcript_cap": 7,
    }

    made = api.post(URL, fields | {"ttl_seconds": 60}).json()

    assert {name: made[name] for name in fields} == fields
    assert made["expires_at"] > made["created_at"]


def test_it_makes_an_id(api):
    assert UUID(api.post(URL, {}).json()["id"]).version == 7


def test_times_are_utc_with_milliseconds(api):
    made = api.post(URL, {}).json()["created_at"]

    assert len(made) == len("2025-01-31T12:00:00.000Z")
    assert made.endswith("Z")


def test_a_number_of_any_size_stays_in_the_metadata(api):
    metadata = {"big": 12345678901234567890123, "float": 1.5e22, "small": -0.5}

    made = api.post(URL, {"id": "x", "metadata": metadata}).json()

    assert made["metadata"] == metadata
    assert api.get("/sessions/x").json()["metadata"] == metadata


def test_a_key_for_all_agents_names_one(admin_api, agent):
    made = admin_api.post(URL, {"agent": "support"}).json()

    assert made["agent"] == "support"


def test_a_key_for_all_agents_may_name_it_in_the_query(admin_api, agent):
    assert admin_api.post(f"{URL}?agent=support", {}).json()["agent"] == "support"


def test_a_key_for_all_agents_means_the_default_one(admin_api):
    assert admin_api.post(URL, {}).json()["agent"] == Agent.DEFAULT


def test_two_agents_may_use_one_id(api, stranger_api):
    assert api.post(URL, {"id": "x"}).status_code == 201
    assert stranger_api.post(URL, {"id": "x"}).status_code == 201


def test_it_needs_a_key(anonymous):
    assert refusal(anonymous.post(URL, {})) == (401, "unauthenticated")


def test_it_needs_more_than_a_reading_key(agent):
    response = api_of(agent, "read").post(URL, {})

    assert refusal(response) == (403, "forbidden")


@pytest.mark.parametrize("who", ["stranger", "nobody"])
def test_another_agent_does_not_exist(api, stranger, who):
    assert refusal(api.post(URL, {"agent": who})) == (404, "not_found")


def test_it_refuses_an_id_that_exists(api, session):
    response = api.post(URL, {"id": session.key})

    assert refusal(response) == (409, "session_exists")
    assert response.json()["error"]["details"] == {"id": session.key}


@pytest.mark.parametrize("parent", ["nothing", "theirs"])
def test_it_refuses_a_parent_that_is_not_there(api, stranger_api, parent):
    stranger_api.post(URL, {"id": "theirs"})

    response = api.post(URL, {"parent_session": parent})

    assert refusal(response) == (422, "unknown_session")
    assert response.json()["error"]["details"] == {"field": "parent_session"}


LONG = "x" * 501


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", ""),
        ("id", "  "),
        ("id", 5),
        ("id", LONG),
        ("name", None),
        ("name", 5),
        ("name", LONG),
        ("agent", ""),
        ("agent", ["support"]),
        ("model", LONG),
        ("source", {}),
        ("kind", ""),
        ("kind", LONG),
        ("parent_session", 1),
        ("metadata", []),
        ("metadata", "text"),
        ("metadata", None),
        ("ephemeral", "yes"),
        ("ephemeral", 1),
        ("ttl_seconds", 0),
        ("ttl_seconds", "60"),
        ("ttl_seconds", 60.5),
        ("ttl_seconds", 10**12),
        ("compact_after", -1),
        ("compact_after", 1.5),
        ("compact_after", 2**63),
        ("compact_after", True),
        ("kv_cap", -1),
        ("kv_cap", None),
        ("transcript_cap", 10**7),
        ("nmae", "misspelt"),
        ("archived_at", None),
    ],
)
def test_it_names_what_is_wrong(api, field, value):
    before = counts()

    response = api.post(URL, {field: value})

    assert refusal(response) == (422, "invalid")
    (wrong,) = response.json()["error"]["details"]["fields"]
    assert wrong["field"] == field
    assert counts() == before
