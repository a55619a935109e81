from __future__ import annotations

import pytest

from tests.api import api_of, counts, escaped, refusal

URL = "/sessions/trip"


def test_it_makes_a_session(api):
    response = api.put(URL, {"name": "To Rome"})

    assert response.status_code == 201
    assert response.json()["id"] == "trip"
    assert response.json()["name"] == "To Rome"


def test_it_returns_what_is_there_as_it_is(api):
    made = api.put(URL, {"name": "To Rome"}).json()

    response = api.put(URL, {"name": "Elsewhere", "metadata": {"a": 1}})

    assert response.status_code == 200
    assert response.json() == made


def test_the_body_may_say_the_id_again(api):
    assert api.put(URL, {"id": "trip"}).status_code == 201


def test_another_agents_session_is_not_in_the_way(api, stranger_api):
    theirs = stranger_api.put(URL, {}).json()

    ours = api.put(URL, {})

    assert ours.status_code == 201
    assert ours.json()["agent"] != theirs["agent"]


def test_a_key_for_all_agents_says_whose(admin_api, api, agent):
    ours = api.put(URL, {}).json()

    assert admin_api.put(URL, {"agent": "support"}).json() == ours
    assert admin_api.put(f"{URL}?agent=support", {}).json() == ours
    assert admin_api.put(URL, {}).status_code == 201


def test_it_needs_a_key(anonymous):
    assert refusal(anonymous.put(URL, {})) == (401, "unauthenticated")


def test_it_needs_more_than_a_reading_key(agent):
    assert refusal(api_of(agent, "read").put(URL, {})) == (403, "forbidden")


def test_another_agent_does_not_exist(api, stranger):
    assert refusal(api.put(URL, {"agent": "stranger"})) == (404, "not_found")


def test_the_body_may_not_say_another_id(api):
    response = api.put(URL, {"id": "other"})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"] == {"field": "id"}


@pytest.mark.parametrize("key", ["x" * 201, " ", "\u3000"])
def test_it_refuses_an_id_that_cannot_be_one(api, key):
    before = counts()

    response = api.put(f"/sessions/{escaped(key)}", {})

    assert refusal(response) == (422, "invalid")
    assert counts() == before


def test_it_refuses_a_body_that_could_not_make_one(api, session):
    assert refusal(api.put(URL, {"name": 5})) == (422, "invalid")
