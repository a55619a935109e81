from __future__ import annotations

from typing import Any

import pytest

from tests.api import api_of, refusal, walk
from tests.builders import compact, say, talk

URL = "/sessions/trip/history"


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c d e f")
    return session


def ids(api, **query):
    return " ".join(each["id"] for each in api.get(URL, **query).json()["items"])


def test_it_works(api):
    history = api.get(URL).json()

    assert [each["id"] for each in history.pop("items")] == list("abcdef")
    assert history.pop("context_tokens") > 0
    assert history == {"leaf": "f", "head": "f", "path_length": 6, "next": None}


def test_an_empty_session_has_an_empty_history(api):
    api.put("/sessions/empty", {})

    assert api.get("/sessions/empty/history").json() == {
        "items": [],
        "leaf": None,
        "head": None,
        "path_length": 0,
        "context_tokens": 0,
        "next": None,
    }


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"leaf": "c"}, "a b c"),
        ({"limit": 2}, "e f"),
        ({"limit": 100}, "a b c d e f"),
        ({"before": "c"}, "a b"),
        ({"before": "a"}, ""),
        ({"after": "c"}, "d e f"),
        ({"after": "f"}, ""),
        ({"after": "a", "before": "e"}, "b c d"),
        ({"before": "e", "limit": 2}, "c d"),
        ({"after": "b", "limit": 2}, "e f"),
        ({"leaf": "d", "after": "a", "limit": 9}, "b c d"),
    ],
)
def test_it_reads_a_part(api, query, found):
    assert ids(api, **query) == found


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 6])
def test_pages_lead_to_the_root(api, limit):
    found: list[Any] = []
    cursor: str | None = ""
    while cursor is not None:
        page = api.get(URL, limit=limit, cursor=cursor).json()
        found = page["items"] + found
        cursor = page["next"]
        assert (page["leaf"], page["path_length"]) == ("f", 6)

    assert [each["id"] for each in found] == list("abcdef")


def test_a_page_goes_on_where_it_was_when_others_come(api, session):
    cursor = api.get(URL, limit=2).json()["next"]
    say(session, "g")
    say(session, "h", parent="a")

    assert ids(api, cursor=cursor, limit=2) == "c d"


def test_compactions_stand_in_the_place_of_what_they_cover(api, session):
    made = compact(session, "b", "d", "middle")

    items = api.get(URL).json()["items"]

    assert [each["id"] for each in items] == ["a", f"compaction_{made.uid}", "e", "f"]
    summary = items[1]
    assert summary["role"] == "assistant"
    assert summary["parts"] == [{"type": "text", "text": "middle"}]
    assert summary["metadata"]["compaction"]["count"] == 3
    assert ids(api, raw=1) == "a b c d e f"
    assert api.get(URL).json()["path_length"] == 6


def test_a_compaction_may_be_a_bound(api, session):
    echo = f"compaction_{compact(session, 'b', 'd').uid}"

    assert ids(api, before=echo) == "a"
    assert ids(api, after=echo) == "e f"
    assert ids(api, leaf=echo) == f"a {echo}"
    assert walk(api, URL, limit=1, leaf="e")[0]["id"] == "e"


def test_an_envelope_holds_the_place(api, session):
    made = compact(session, "b", "d")
    api.put("/sessions/trip/messages/e/label", {"label": "L"})

    items = api.get(URL, envelope=1).json()["items"]

    assert items[0] == api.get("/sessions/trip/messages/a").json()
    assert items[2] == api.get("/sessions/trip/messages/e").json()
    assert items[1]["message"]["id"] == f"compaction_{made.uid}"
    assert (items[1]["seq"], items[1]["parent"], items[1]["depth"]) == (None, "a", 1)


def test_a_fork_reads_what_it_inherited(api, session):
    api.post("/sessions/trip/fork", {"id": "fork", "at": "c"})

    history = api.get("/sessions/fork/history").json()

    assert [each["id"] for each in history["items"]] == ["a", "b", "c"]


def test_it_lists_leaves(api, session):
    say(session, "g", parent="a")
    api.put("/sessions/trip/messages/g/label", {"label": "L"})

    first, second = api.get("/sessions/trip/leaves").json()["items"]

    assert first.pop("created_at").endswith("Z")
    leaf = {"id": "g", "depth": 1, "seq": 6, "preview": "g", "label": "L"}
    assert first == leaf
    assert second["id"] == "f"


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_leaves_come_in_pages(api, session, limit):
    for name in "ghi":
        say(session, name, parent="a")

    found = walk(api, "/sessions/trip/leaves", limit=limit)

    assert [each["id"] for each in found] == ["i", "h", "g", "f"]


def test_it_reads_the_tree(api, session):
    say(session, "g", parent="b")
    say(session, "h")

    tree = api.get("/sessions/trip/tree").json()

    runs = [(each["id"], each["last"], each["run"]) for each in tree["items"]]
    assert runs == [("a", "b", 2), ("c", "f", 4), ("g", "h", 2)]
    assert tree["items"][1] == {
        "id": "c",
        "last": "f",
        "parent": "b",
        "role": "user",
        "preview": "c",
        "label": None,
        "depth": 2,
        "children": 0,
        "run": 4,
    }
    assert tree["items"][0]["children"] == 2


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_tree_comes_in_pages(api, session, limit):
    for name in "ghi":
        say(session, name, parent="b")

    found = walk(api, "/sessions/trip/tree", limit=limit)

    assert [each["id"] for each in found] == ["a", "c", "g", "h", "i"]


def test_pages_of_the_tree_miss_nothing_when_some_of_it_goes(api, session):
    for name in "ghi":
        say(session, name, parent="b")
    first = api.get("/sessions/trip/tree", limit=2).json()
    assert [each["id"] for each in first["items"]] == ["a", "c"]

    api.delete("/sessions/trip/messages/c", mode="subtree")

    following = api.get("/sessions/trip/tree", cursor=first["next"]).json()
    assert [each["id"] for each in following["items"]] == ["g", "h", "i"]


@pytest.mark.parametrize(
    ("only", "found"), [("labelled", "c"), ("user", "a"), ("no_tools", "a")]
)
def test_the_tree_is_filtered(api, only, found):
    api.put("/sessions/trip/messages/c/label", {"label": "L"})

    items = api.get("/sessions/trip/tree", filter=only).json()["items"]

    assert [each["id"] for each in items] == [found]


PLACES = ["/history", "/leaves", "/tree"]


@pytest.mark.parametrize("place", PLACES)
def test_it_needs_a_key(anonymous, place):
    response = anonymous.get(f"/sessions/trip{place}")

    assert refusal(response) == (401, "unauthenticated")


@pytest.mark.parametrize("place", PLACES)
def test_a_reading_key_is_enough(agent, place):
    assert api_of(agent, "read").get(f"/sessions/trip{place}").status_code == 200


@pytest.mark.parametrize("place", PLACES)
def test_another_agents_does_not_exist(stranger_api, place):
    response = stranger_api.get(f"/sessions/trip{place}")

    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize("bound", ["leaf", "before", "after"])
def test_a_bound_must_be_there(api, bound):
    assert refusal(api.get(URL, **{bound: "none"})) == (404, "not_found")
    assert refusal(api.get(URL, **{bound: "compaction_x"})) == (404, "not_found")


@pytest.mark.parametrize("bound", ["before", "after"])
def test_a_bound_must_be_on_the_path(api, session, bound):
    say(session, "g", parent="a")

    assert refusal(api.get(URL, leaf="f", **{bound: "g"})) == (422, "not_on_path")


@pytest.mark.parametrize(
    ("place", "field", "value"),
    [
        ("/history", "limit", 0),
        ("/history", "limit", "x"),
        ("/history", "limit", 10**30),
        ("/history", "raw", "perhaps"),
        ("/history", "envelope", "2"),
        ("/leaves", "limit", 1001),
        ("/tree", "limit", 10_001),
        ("/tree", "filter", "some"),
    ],
)
def test_a_filter_that_cannot_be_is_named(api, place, field, value):
    response = api.get(f"/sessions/trip{place}", **{field: value})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field


@pytest.mark.parametrize("bound", ["leaf", "before", "after"])
@pytest.mark.parametrize("uid", ["nope", ""])
def test_a_bound_that_is_not_there(api, bound, uid):
    assert refusal(api.get(URL, **{bound: uid})) == (404, "not_found")


def test_what_a_time_must_be_is_told_plainly(api):
    error = api.get("/sessions", since="now").json()["error"]

    assert error["message"] == "since: must be ISO 8601, such as 2025-01-31T12:00:00Z"


# A number, two NULs, 10 ** 30.
@pytest.mark.parametrize("cursor", ["x", "MQ", "WyJcdTAwMDAiLCJcdTAwMDAiXQ"])
def test_the_history_refuses_a_cursor_that_it_did_not_give(api, cursor):
    assert refusal(api.get(URL, cursor=cursor)) == (422, "bad_cursor")


@pytest.mark.parametrize("place", ["/leaves", "/tree"])
@pytest.mark.parametrize(
    "cursor", ["x", "LTE", "MTAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA"]
)
def test_a_list_refuses_a_cursor_that_it_did_not_give(api, place, cursor):
    response = api.get(f"/sessions/trip{place}", cursor=cursor)

    assert refusal(response) == (422, "bad_cursor")
