"""What was done to messages, and undoing it."""

from __future__ import annotations

import pytest

from tests.api import api_of, refusal, walk
from tests.builders import draft, seen, talk

CHANGES = "/sessions/trip/changes"
MESSAGES = "/sessions/trip/messages"


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c")


@pytest.fixture
def read_api(agent):
    return api_of(agent, "read")


def newest(api):
    return api.get(CHANGES).json()["items"][0]


def test_an_edit_and_back(api, session):
    prefix = session.agent.keys.get().prefix
    body = {"message": {"id": "b", "role": "user", "parts": []}}
    assert api.put(f"{MESSAGES}/b", body).status_code == 200

    change = newest(api)
    assert {key: change[key] for key in change.keys() - {"id", "created_at"}} == {
        "action": "edit",
        "messages": 1,
        "first": ["b"],
        "by": f"key {prefix}",
        "undone_at": None,
        "undone_by": "",
    }
    answer = api.post(f"{CHANGES}/{change['id']}/undo")

    assert answer.status_code == 200
    assert answer.json()["undone_at"]
    assert answer.json()["undone_by"] == f"key {prefix}"
    assert session.messages.get(uid="b").body == draft("b", "b").body
    assert refusal(api.post(f"{CHANGES}/{change['id']}/undo")) == (409, "undo_conflict")


def test_deletions_and_back(api, session):
    api.delete(f"{MESSAGES}/b")
    api.post(f"{MESSAGES}/delete", {"ids": ["a", "nope"], "mode": "subtree"})
    talk(session, "d")
    api.delete(MESSAGES)

    items = walk(api, CHANGES, limit=1)
    assert [(each["action"], each["messages"], each["first"]) for each in items] == [
        ("clear", 1, ["d"]),
        ("subtree", 2, ["a"]),
        ("reparent", 1, ["b"]),
    ]
    for each in items:
        assert api.post(f"{CHANGES}/{each['id']}/undo").status_code == 200
    assert (seen(session, "c"), seen(session, "d")) == ("a b c", "d")


def test_versions(api):
    body = {"message": {"id": "b", "role": "user", "parts": []}}
    api.put(f"{MESSAGES}/b", body)
    api.delete(f"{MESSAGES}/b")

    items = walk(api, f"{MESSAGES}/b/versions", limit=1)
    assert [(each["action"], each["message"]["parts"]) for each in items] == [
        ("reparent", []),
        ("edit", [{"type": "text", "text": "b"}]),
    ]
    assert {"change", "by", "created_at"} < items[0].keys()
    assert walk(api, f"{MESSAGES}/a/versions") == []
    assert refusal(api.get(f"{MESSAGES}/nope/versions")) == (404, "not_found")


def test_forgetting(api):
    api.delete(f"{MESSAGES}/b")
    change = newest(api)["id"]

    assert api.delete(CHANGES).json() == {"forgotten": 1}

    assert walk(api, CHANGES) == []
    assert refusal(api.post(f"{CHANGES}/{change}/undo")) == (404, "not_found")
    assert refusal(api.get(f"{MESSAGES}/b/versions")) == (404, "not_found")


def test_who_may(api, read_api, stranger_api, anonymous):
    api.delete(f"{MESSAGES}/b")
    undo = f"{CHANGES}/{newest(api)['id']}/undo"

    assert len(walk(read_api, CHANGES)) == 1
    assert refusal(read_api.post(undo)) == (403, "forbidden")
    assert refusal(read_api.delete(CHANGES)) == (403, "forbidden")
    for method, path in ("GET", CHANGES), ("POST", undo), ("DELETE", CHANGES):
        assert refusal(stranger_api.call(method, path)) == (404, "not_found")
        assert refusal(anonymous.call(method, path)) == (401, "unauthenticated")
    assert len(walk(api, CHANGES)) == 1


@pytest.mark.parametrize("change", ["0", "999999", str(2**63 - 1)])
def test_no_such_change(api, change):
    assert refusal(api.post(f"{CHANGES}/{change}/undo")) == (404, "not_found")


@pytest.mark.parametrize("change", ["x", "-1", str(2**63)])
def test_no_change_at_all(api, change):
    assert api.post(f"{CHANGES}/{change}/undo").status_code in (404, 422)
