"""Ids of odd characters, percent-encoded in a path."""

from __future__ import annotations

import pytest

from tests.api import escaped, refusal

ODD = [
    "two words",
    " spaces around ",
    "naïve 日本語",
    "👨‍👩‍👧",
    "a?b=c&d",
    "#tag",
    "100%",
    "%2F",
    "%41",
    "a:b;c,d",
    'it\'s "quoted"',
    "back\\slash",
    "<b>",
    "+plus+",
    "...",
    "a/b",
    "/",
    "//x//",
    "../../admin",
    "null",
    "delete",
    "a/b/c:d e?",
    "x" * 200,
    "messages",
    "history",
    "search",
]


def message(uid):
    return {"id": uid, "role": "user", "parts": []}


@pytest.mark.parametrize("key", ODD)
def test_a_session_of_that_id(api, key):
    path = f"/sessions/{escaped(key)}"

    assert api.put(path, {}).status_code == 201
    assert api.put(path, {}).status_code == 200
    assert api.get(path).json()["id"] == key
    assert api.patch(path, {"name": "N"}).json()["name"] == "N"
    assert api.post(f"{path}/messages", {"messages": [message("m")]}).status_code == 201
    assert api.get(f"{path}/history").json()["head"] == "m"
    assert api.get(f"{path}/messages/m/branches").json()["items"] == []
    assert api.put(f"{path}/head", {"message": "m"}).json()["id"] == key
    assert api.post(f"{path}/fork", {"id": "fork"}).json()["parent_session"] == key
    assert api.delete(path).status_code == 204
    assert refusal(api.get(path)) == (404, "not_found")


@pytest.mark.parametrize("mid", ODD)
def test_a_message_of_that_id(api, session, mid):
    path = f"/sessions/trip/messages/{escaped(mid)}"

    assert api.put(path, {"message": message(mid)}).status_code == 201
    assert api.put(path, {"message": message(mid)}).status_code == 200
    assert api.get(path).json()["message"] == message(mid)
    assert api.get(f"{path}/branches").json()["items"] == []
    assert api.put(f"{path}/label", {"label": "L"}).json()["label"] == "L"
    assert api.get("/sessions/trip/history", leaf=mid).json()["leaf"] == mid
    assert api.delete(path).json() == {"deleted": 1}
    assert refusal(api.get(path)) == (404, "not_found")


def test_both_with_slashes(api):
    session, mid = escaped("a/b"), escaped("c/d")
    api.put(f"/sessions/{session}", {})

    api.post(f"/sessions/{session}/messages", {"messages": [message("c/d")]})

    read = api.get(f"/sessions/{session}/messages/{mid}").json()
    assert read["message"]["id"] == "c/d"
    response = api.post(f"/sessions/{session}/messages/delete", {"ids": ["c/d"]})
    assert response.json() == {"deleted": 1}


def test_the_bulk_endpoint_stays_beside_a_message_with_its_name(api, session):
    message_path = "/sessions/trip/messages/delete"
    api.put(message_path, {"message": message("delete")})
    api.put("/sessions/trip/messages/child", {"message": message("child")})

    assert api.post(message_path, {"ids": ["child"]}).json() == {"deleted": 1}
    assert api.delete(message_path, mode="subtree").json() == {"deleted": 1}
    assert refusal(api.patch(message_path, {})) == (405, "method_not_allowed")


def test_a_name_of_an_agent(admin_api):
    admin_api.post("/agents", {"name": "team/a b?"})

    assert admin_api.get("/agents/team%2Fa%20b%3F").json()["name"] == "team/a b?"
    assert admin_api.delete("/agents/team%2Fa%20b%3F").status_code == 204


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/sessions/trip/nothing"),
        ("POST", "/sessions/trip/nothing"),
        ("GET", "/sessions/trip/messages/"),
        ("GET", "/sessions/" + "a/" * 5000),
    ],
)
def test_a_path_that_is_none_is_not_found(api, session, method, path):
    assert refusal(api.call(method, path, {})) == (404, "not_found")


def test_looking_for_slashes_takes_no_time(api):
    path = "/sessions/" + "a/messages/" * 3000 + "b"

    assert refusal(api.put(path, {})) == (404, "not_found")


@pytest.mark.parametrize("step", [".", ".."])
def test_ids_that_are_steps_in_a_path(api, session, step):
    """Clients take them for steps before they send: ../ of a message is its session."""
    messages = {"messages": [message(step)]}

    assert refusal(api.post("/sessions", {"id": step})) == (422, "invalid")
    assert refusal(api.post("/sessions/trip/fork", {"id": step})) == (422, "invalid")
    assert refusal(api.post("/sessions/trip/messages", messages)) == (422, "invalid")
    put = api.put(f"/sessions/trip/messages/{step}", {"message": message(step)})
    assert refusal(put) == (422, "invalid")
