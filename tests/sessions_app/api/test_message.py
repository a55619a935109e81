"""One message: reading, writing over it, naming it, deleting it, and its branches."""

from __future__ import annotations

import pytest

from sessions_app.models import Message
from tests.api import api_of, counts, refusal
from tests.builders import head, say, seen, talk

URL = "/sessions/trip/messages"
HELLO = {"id": "b", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c")
    return session


def read(api, uid="b"):
    return api.get(f"{URL}/{uid}").json()


def test_it_reads(api):
    envelope = read(api)

    assert envelope["message"]["id"] == "b"
    assert envelope.pop("path_tokens") > envelope.pop("tokens") > 0
    assert envelope.pop("created_at").endswith("Z")
    del envelope["message"]
    place = {"parent": "a", "depth": 1, "seq": 1, "children": 1, "label": None}
    assert envelope == place


def test_it_replaces(api):
    before = read(api)

    response = api.put(f"{URL}/b", {"message": HELLO})

    assert response.status_code == 200
    assert response.json() == read(api)
    assert read(api)["message"] == HELLO
    assert read(api)["created_at"] == before["created_at"]
    assert read(api)["parent"] == "a"


def test_it_adds(api, session):
    response = api.put(f"{URL}/d", {"message": {"role": "user", "parts": []}})

    assert response.status_code == 201
    assert response.json()["message"] == {"id": "d", "role": "user", "parts": []}
    assert seen(session) == "a b c d"


@pytest.mark.parametrize(("parent", "path"), [("a", "a d"), (None, "d")])
def test_it_adds_below_a_parent(api, session, parent, path):
    message = {"role": "user", "parts": []}

    api.put(f"{URL}/d", {"message": message, "parent": parent})

    assert seen(session) == path


def test_its_parent_must_be_there(api):
    response = api.put(f"{URL}/d", {"message": HELLO | {"id": "d"}, "parent": "x"})

    assert refusal(response) == (422, "unknown_parent")
    assert Message.objects.count() == 3


def test_a_fork_keeps_what_it_had(api):
    api.post("/sessions/trip/fork", {"id": "fork"})
    before = api.get("/sessions/fork/history").json()["items"]

    api.put(f"{URL}/b", {"message": HELLO})
    api.delete(f"{URL}/a")

    assert api.get("/sessions/fork/history").json()["items"] == before


def test_it_names_and_takes_the_name_away(api):
    assert api.put(f"{URL}/b/label", {"label": "good"}).json()["label"] == "good"
    assert read(api)["label"] == "good"
    assert api.put(f"{URL}/b/label", {"label": None}).json()["label"] is None
    assert read(api)["label"] is None


@pytest.mark.parametrize(
    "body", [{}, {"label": ""}, {"label": 5}, {"label": "x" * 201}]
)
def test_a_name_must_be_one(api, body):
    response = api.put(f"{URL}/b/label", body)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == "label"


@pytest.mark.parametrize("label", ["  ", "two\nlines", "bell\x07"])
def test_a_label_is_a_line_of_text(api, label):
    response = api.put(f"{URL}/b/label", {"label": label})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["field"] == "label"
    assert read(api)["label"] is None


def test_it_deletes_and_closes_the_gap(api, session):
    assert api.delete(f"{URL}/b").json() == {"deleted": 1}

    assert seen(session) == "a c"
    assert read(api, "c")["parent"] == "a"


def test_it_deletes_all_below(api, session):
    assert api.delete(f"{URL}/b", mode="subtree").json() == {"deleted": 2}

    assert seen(session) == "a"
    assert head(session) == "a"


def test_it_deletes_in_a_known_way(api):
    response = api.delete(f"{URL}/b", mode="all")

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == "mode"
    assert Message.objects.count() == 3


def test_it_deletes_several(api, session):
    response = api.post(f"{URL}/delete", {"ids": ["a", "none", "c", "a"]})

    assert response.json() == {"deleted": 2}
    assert seen(session) == "b"
    assert api.post(f"{URL}/delete", {"ids": []}).json() == {"deleted": 0}


def test_it_deletes_several_with_all_below(api, session):
    body = {"ids": ["b", "c"], "mode": "subtree"}

    assert api.post(f"{URL}/delete", body).json() == {"deleted": 2}
    assert seen(session) == "a"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "ids"),
        ({"ids": "a"}, "ids"),
        ({"ids": [1]}, "ids.0"),
        ({"ids": [""]}, "ids.0"),
        ({"ids": ["x"] * 1001}, "ids"),
        ({"ids": ["a"], "mode": "all"}, "mode"),
        ({"ids": ["a"], "force": True}, "force"),
    ],
)
def test_it_deletes_several_that_are_named_well(api, body, field):
    response = api.post(f"{URL}/delete", body)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field
    assert Message.objects.count() == 3


def test_it_clears(api, session):
    body = {"from": "a", "to": "b", "summary": "S"}
    api.post("/sessions/trip/compactions", body)

    assert api.delete(URL).json() == {"deleted": 3}

    after = api.get("/sessions/trip").json()
    assert (after["head"], after["message_count"], after["context_tokens"]) == (
        None,
        0,
        0,
    )
    assert counts()["Message"] == counts()["Compaction"] == 0
    assert counts()["SearchDocument"] == 0


def test_a_fork_outlives_the_clearing(api):
    api.post("/sessions/trip/fork", {"id": "fork"})

    api.delete(URL)

    assert api.get("/sessions/fork/history").json()["path_length"] == 3


def test_it_lists_branches(api, session):
    say(session, "d", parent="a")

    found = api.get(f"{URL}/a/branches").json()

    assert [each["id"] for each in found["items"]] == ["b", "d"]
    assert found["next"] is None
    assert api.get(f"{URL}/c/branches").json()["items"] == []


CALLS = [
    ("GET", "/b", None),
    ("GET", "/b/branches", None),
    ("PUT", "/b", {"message": HELLO}),
    ("PUT", "/b/label", {"label": "x"}),
    ("DELETE", "/b", None),
    ("DELETE", "", None),
    ("POST", "/delete", {"ids": ["b"]}),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_it_needs_a_key(anonymous, method, path, body):
    response = anonymous.call(method, URL + path, body)

    assert refusal(response) == (401, "unauthenticated")


@pytest.mark.parametrize(("method", "path", "body"), CALLS[2:])
def test_it_needs_more_than_a_reading_key(agent, method, path, body):
    response = api_of(agent, "read").call(method, URL + path, body)

    assert refusal(response) == (403, "forbidden")


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_another_agents_does_not_exist(stranger_api, method, path, body):
    before = counts()

    response = stranger_api.call(method, URL + path, body)

    assert refusal(response) == (404, "not_found")
    assert counts() == before


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_the_session_must_be_there(api, method, path, body):
    response = api.call(method, f"/sessions/none/messages{path}", body)

    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [call for call in CALLS if "/b" in call[1] and call[:2] != ("PUT", "/b")],
)
def test_the_message_must_be_there(api, method, path, body):
    response = api.call(method, URL + path.replace("b", "none", 1), body)

    assert refusal(response) == (404, "not_found")
