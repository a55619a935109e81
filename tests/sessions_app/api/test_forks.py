"""Forks, splits, and the head."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.models import Session
from tests.api import api_of, counts, refusal
from tests.builders import compact, say, seen, talk

FORK = "/sessions/trip/fork"
SPLIT = "/sessions/trip/split"
HEAD = "/sessions/trip/head"


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c")
    return session


def ids(api, key):
    items = api.get(f"/sessions/{key}/history").json()["items"]
    return " ".join(each["id"] for each in items)


def test_a_fork_goes_on_from_the_head(api):
    response = api.post(FORK, {})

    assert response.status_code == 201
    fork = response.json()
    assert (fork["parent_session"], fork["fork_point"], fork["head"]) == (
        "trip",
        "c",
        "c",
    )
    assert (fork["message_count"], fork["path_length"]) == (3, 3)
    assert ids(api, fork["id"]) == "a b c"


def test_a_fork_goes_on_from_a_message(api):
    fork = api.post(FORK, {"at": "b", "name": "N", "id": "fork"}).json()

    assert (fork["id"], fork["name"], fork["head"]) == ("fork", "N", "b")
    assert ids(api, "fork") == "a b"


def test_a_fork_takes_along_what_the_session_is(api, session):
    api.patch("/sessions/trip", {"name": "N", "model": "m", "metadata": {"a": 1}})
    api.put("/sessions/trip/messages/a/label", {"label": "L"})
    api.post("/sessions/trip/usage", {"input_tokens": 5})
    compact(session, "a", "b")

    fork = api.post(FORK, {"id": "fork"}).json()

    assert (fork["name"], fork["model"], fork["metadata"]) == ("N", "m", {"a": 1})
    assert fork["usage"]["input_tokens"] == 0
    assert fork["context_tokens"] == api.get("/sessions/trip").json()["context_tokens"]
    assert len(api.get("/sessions/fork/compactions").json()["items"]) == 1
    assert api.get("/sessions/fork/messages/a").json()["label"] == "L"


def test_a_fork_may_take_branches_or_the_tree_along(api, session):
    talk(session, "x y", parent="b")

    below = api.post(FORK, {"at": "b", "include": "branches", "id": "below"}).json()
    whole = api.post(FORK, {"at": "a", "include": "tree", "id": "whole"}).json()

    assert (below["fork_point"], below["head"]) == ("b", "y")
    assert (below["message_count"], whole["message_count"]) == (5, 5)
    assert ids(api, "below") == ids(api, "whole") == "a b x y"
    assert api.get("/sessions/below/history?leaf=c").status_code == 200


def test_a_fork_may_leave_compactions_behind(api, session):
    compact(session, "a", "b")

    api.post(FORK, {"id": "fork", "compactions": False})

    assert ids(api, "fork") == "a b c"


def test_a_fork_may_leave_the_blocks_behind(api):
    api.post("/sessions/trip/blocks", {"label": "human", "content": "Ada"})

    api.post(FORK, {"id": "with"})
    api.post(FORK, {"id": "without", "blocks": False})

    assert len(api.get("/sessions/with/blocks").json()["items"]) == 1
    assert api.get("/sessions/without/blocks").json()["items"] == []


def test_what_a_fork_includes_has_a_name(api):
    assert api.post(FORK, {"include": "all"}).status_code == 422


def test_a_fork_of_an_empty_session_is_empty(api):
    api.put("/sessions/empty", {})

    fork = api.post("/sessions/empty/fork", {}).json()

    assert (fork["fork_point"], fork["head"], fork["path_length"]) == (None, None, 0)


def test_a_fork_may_take_the_id_of_an_expired_session(api, agent):
    api.put("/sessions/old", {})
    past = now() - timedelta(seconds=1)
    Session.objects.filter(key="old").update(expires_at=past)

    assert api.post(FORK, {"id": "old"}).status_code == 201


def test_a_fork_refuses_an_id_that_exists(api):
    response = api.post(FORK, {"id": "trip"})

    assert refusal(response) == (409, "session_exists")
    assert counts()["Session"] == 1


def test_a_fork_needs_its_message(api):
    assert refusal(api.post(FORK, {"at": "none"})) == (404, "not_found")


def test_a_split_starts_anew_from_a_summary(api):
    response = api.post(SPLIT, {"summary": "So far", "name": "Part two"})

    assert response.status_code == 201
    part = response.json()
    assert (part["name"], part["parent_session"]) == ("Part two", "trip")
    (message,) = api.get(f"/sessions/{part['id']}/history").json()["items"]
    assert message["parts"][0]["text"].endswith("So far")
    assert api.get("/sessions/trip").json()["end_reason"] == "compaction"
    assert ids(api, "trip") == "a b c"


def test_the_head_moves(api, session):
    moved = api.put(HEAD, {"message": "a"}).json()

    assert (moved["head"], moved["path_length"]) == ("a", 1)
    say(session, "d")
    assert seen(session) == "a d"


def test_the_head_moves_to_what_a_summary_covers(api, session):
    made = compact(session, "a", "b")

    assert api.put(HEAD, {"message": f"compaction_{made.uid}"}).json()["head"] == "b"


def test_the_head_must_be_a_message(api):
    assert refusal(api.put(HEAD, {"message": "none"})) == (404, "not_found")


BODIES = [
    ("POST", FORK, {}),
    ("POST", SPLIT, {"summary": "S"}),
    ("PUT", HEAD, {"message": "a"}),
]


@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_it_needs_a_key(anonymous, method, path, body):
    assert refusal(anonymous.call(method, path, body)) == (401, "unauthenticated")


@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_it_needs_more_than_a_reading_key(agent, method, path, body):
    response = api_of(agent, "read").call(method, path, body)

    assert refusal(response) == (403, "forbidden")


@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_another_agents_does_not_exist(stranger_api, method, path, body):
    assert refusal(stranger_api.call(method, path, body)) == (404, "not_found")


@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_the_session_must_be_there(api, method, path, body):
    response = api.call(method, path.replace("trip", "none"), body)

    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", FORK, {"at": 5}, "at"),
        ("POST", FORK, {"at": ""}, "at"),
        ("POST", FORK, {"id": "x" * 201}, "id"),
        ("POST", FORK, {"name": None}, "name"),
        ("POST", FORK, {"from": "a"}, "from"),
        ("POST", SPLIT, {}, "summary"),
        ("POST", SPLIT, {"summary": ""}, "summary"),
        ("POST", SPLIT, {"summary": ["S"]}, "summary"),
        ("POST", SPLIT, {"summary": "S", "name": "x" * 501}, "name"),
        ("PUT", HEAD, {}, "message"),
        ("PUT", HEAD, {"message": None}, "message"),
        ("PUT", HEAD, {"message": 1}, "message"),
    ],
)
def test_what_cannot_be_is_named(api, method, path, body, field):
    before = counts()

    response = api.call(method, path, body)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field
    assert counts() == before
