from __future__ import annotations

import pytest

from sessions_app.models import Agent
from tests.api import api_of, counts, refusal, walk

URL = "/agents"


def test_it_makes_one(admin_api):
    fields = {"description": "Answers", "compact_after": 5, "metadata": {"a": [1]}}

    response = admin_api.post(URL, {"name": "helper", **fields})

    assert response.status_code == 201
    made = response.json()
    assert made.pop("created_at").endswith("Z")
    assert made == {"name": "helper", **fields}


def test_it_lists_them(admin_api, agent, stranger):
    answer = admin_api.get(URL).json()

    assert [each["name"] for each in answer["items"]] == ["support", "stranger"]
    assert answer["next"] is None
    assert walk(admin_api, URL, limit=1) == answer["items"]


def test_it_reads_changes_and_deletes(admin_api, agent):
    path = f"{URL}/support"

    changed = admin_api.patch(path, {"description": "D", "compact_after": 9}).json()

    assert (changed["description"], changed["compact_after"]) == ("D", 9)
    assert admin_api.patch(path, {"compact_after": None}).json()["description"] == "D"
    assert admin_api.patch(path, {}).json() == admin_api.get(path).json()
    assert admin_api.delete(path).status_code == 204
    assert refusal(admin_api.get(path)) == (404, "not_found")


def test_it_deletes_all_that_is_the_agents(admin_api, api, session):
    message = {"role": "user", "content": "x"}
    api.post("/sessions/trip/messages", {"messages": [message]})
    api.post("/sessions/trip/fork", {})
    api.post("/sessions/trip/usage", {"input_tokens": 1})

    admin_api.delete(f"{URL}/support")

    left = {name: count for name, count in counts().items() if count}
    assert left == {"ApiKey": 1}
    assert refusal(api.get("/sessions")) == (401, "unauthenticated")


def test_an_agent_sees_itself_alone(api, stranger):
    assert [each["name"] for each in api.get(URL).json()["items"]] == ["support"]
    assert api.get(f"{URL}/support").json()["name"] == "support"
    assert refusal(api.get(f"{URL}/stranger")) == (404, "not_found")


def test_an_agents_own_administrator_changes_it_alone(agent, stranger):
    own = api_of(agent, "admin")

    assert own.patch(f"{URL}/support", {"description": "D"}).status_code == 200
    assert refusal(own.patch(f"{URL}/stranger", {})) == (404, "not_found")
    assert refusal(own.delete(f"{URL}/stranger")) == (404, "not_found")
    assert refusal(own.post(URL, {"name": "x"})) == (403, "forbidden")


def test_a_name_is_taken_once(admin_api, agent):
    response = admin_api.post(URL, {"name": "support"})

    assert refusal(response) == (409, "agent_exists")
    assert response.json()["error"]["details"] == {"name": "support"}


CALLS = [
    ("GET", URL, None),
    ("GET", f"{URL}/support", None),
    ("POST", URL, {"name": "x"}),
    ("PATCH", f"{URL}/support", {}),
    ("DELETE", f"{URL}/support", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_it_needs_a_key(anonymous, method, path, body):
    assert refusal(anonymous.call(method, path, body)) == (401, "unauthenticated")


@pytest.mark.parametrize(("method", "path", "body"), CALLS[2:])
def test_it_needs_an_administrators_key(api, method, path, body):
    assert refusal(api.call(method, path, body)) == (403, "forbidden")
    assert Agent.objects.count() == 1


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
def test_it_must_be_there(admin_api, method):
    response = admin_api.call(method, f"{URL}/none", {} if method == "PATCH" else None)

    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", None),
        ("name", ""),
        ("name", " "),
        ("name", "x" * 201),
        ("name", 5),
        ("description", None),
        ("description", "x" * 10_001),
        ("compact_after", -1),
        ("compact_after", "5"),
        ("metadata", []),
        ("scope", "x"),
    ],
)
def test_what_cannot_be_is_named(admin_api, field, value):
    response = admin_api.post(URL, {"name": "x", field: value})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field
    assert Agent.objects.count() == 0


def test_a_name_is_a_line(admin_api):
    assert refusal(admin_api.post(URL, {"name": "a\nb"})) == (422, "invalid")
