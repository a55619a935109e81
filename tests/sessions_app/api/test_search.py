from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from tests.api import api_of, refusal, walk
from tests.builders import say

URL = "/search"
HERE = "/sessions/trip/search"


@pytest.fixture(autouse=True)
def _messages(session):
    say(session, "The quick brown fox", uid="a")
    say(session, "The lazy dog", uid="b", role="assistant")
    return session


def ids(api, path=URL, **query):
    items = api.get(path, **query).json()["items"]
    return " ".join(sorted(each["message"] for each in items))


@pytest.mark.parametrize("path", [URL, HERE])
def test_it_works(api, path):
    (hit,) = api.get(path, q="fox").json()["items"]

    assert hit.pop("score") is not None
    assert hit.pop("created_at").endswith("Z")
    assert hit == {
        "session": "trip",
        "agent": "support",
        "message": "a",
        "role": "user",
        "kind": "message",
        "snippet": "The quick brown <mark>fox</mark>",
        "content": "The quick brown fox",
    }


def test_the_snippet_is_safe_in_html(api, session):
    say(session, "<script>alert('x')</script> & needle", uid="c")

    (hit,) = api.get(URL, q="needle").json()["items"]

    assert "<script>" not in hit["snippet"]
    assert "&lt;script&gt;" in hit["snippet"]
    assert hit["snippet"].endswith("&amp; <mark>needle</mark>")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "the"}, "a b"),
        ({"q": "quick fox"}, "a"),
        ({"q": "fox OR dog"}, "a b"),
        ({"q": '"quick brown"'}, "a"),
        ({"q": "the -fox"}, "b"),
        ({"q": "qui*"}, "a"),
        ({"q": ""}, ""),
        ({"q": "  "}, ""),
        ({"q": "cat"}, ""),
        ({"q": "the", "role": "assistant"}, "b"),
        ({"q": "the", "role": "nobody"}, ""),
        ({"q": "the", "limit": 1}, "a"),
        ({"q": "the", "scope": "agent"}, "a b"),
        ({"q": "the", "scope": "all"}, "a b"),
        ({"q": "the", "agent": "support"}, "a b"),
    ],
)
def test_it_finds(api, query, found):
    if query.get("limit"):
        assert len(api.get(URL, **query).json()["items"]) == query["limit"]
    else:
        assert ids(api, **query) == found


def test_it_finds_by_time(api):
    soon, past = now() + timedelta(hours=1), now() - timedelta(hours=1)

    assert ids(api, q="the", since=past.isoformat(), until=soon.isoformat()) == "a b"
    assert ids(api, q="the", since=soon.isoformat()) == ""
    assert ids(api, q="the", until=past.isoformat()) == ""


def test_the_path_leaves_other_branches_out(api, session):
    say(session, "the cat", uid="c", parent="a")

    assert ids(api, HERE, q="the") == "a b c"
    assert ids(api, HERE, q="the", scope="path") == "a c"
    assert ids(api, HERE, q="the", scope="path", leaf="b") == "a b"


def test_the_path_of_an_empty_session_has_nothing(api):
    api.put("/sessions/empty", {})

    assert ids(api, "/sessions/empty/search", q="the", scope="path") == ""


def test_a_session_finds_what_it_inherited_and_a_shared_message_is_found_once(api):
    api.post("/sessions/trip/fork", {"id": "fork", "at": "a"})

    assert ids(api, "/sessions/fork/search", q="the") == "a"
    assert ids(api, q="the") == "a b"


def test_a_session_may_search_beyond_itself(api):
    api.put("/sessions/other", {})

    assert ids(api, "/sessions/other/search", q="the") == ""
    assert ids(api, "/sessions/other/search", q="the", scope="agent") == "a b"
    assert ids(api, "/sessions/other/search", q="the", scope="all") == "a b"


def test_pages_hold_each_hit_once(api, session):
    for index in range(5):
        say(session, f"the same {index}", uid=f"m{index}")

    found = walk(api, URL, q="the", limit=2)

    assert len({hit["message"] for hit in found}) == len(found) == 7


def test_a_part_of_a_word_is_looked_for_in_the_texts(api):
    answer = api.get(URL, q="*ick*").json()

    assert [hit["message"] for hit in answer["items"]] == ["a"]
    assert answer["scan"]["complete"] is True
    assert answer["scan"]["texts"] > 0
    assert api.get(URL, q="fox").json()["scan"] is None


@pytest.mark.parametrize("path", [URL, f"{HERE}?scope=agent", f"{HERE}?scope=all"])
def test_another_agents_is_not_found(api, stranger_api, path):
    stranger_api.put("/sessions/trip", {})

    assert stranger_api.get(path, q="the").json()["items"] == []


def test_another_agents_session_does_not_exist(stranger_api):
    assert refusal(stranger_api.get(HERE, q="the")) == (404, "not_found")
    assert refusal(stranger_api.get(URL, q="x", agent="support")) == (404, "not_found")


def test_a_key_for_all_agents_finds_all(admin_api, stranger_api):
    stranger_api.put("/sessions/theirs", {})
    message = {"id": "t", "role": "user", "content": "the cat"}
    stranger_api.post("/sessions/theirs/messages", {"messages": [message]})

    assert ids(admin_api, q="the") == "a b t"
    assert ids(admin_api, q="the", agent="stranger") == "t"
    assert ids(admin_api, HERE, q="the", scope="agent") == "a b"
    assert ids(admin_api, HERE, q="the", scope="all") == "a b t"


@pytest.mark.parametrize("path", [URL, HERE])
def test_it_needs_a_key(anonymous, path):
    assert refusal(anonymous.get(path, q="x")) == (401, "unauthenticated")


@pytest.mark.parametrize("path", [URL, HERE])
def test_a_reading_key_is_enough(agent, path):
    assert api_of(agent, "read").get(path, q="x").status_code == 200


def test_the_session_and_the_leaf_must_be_there(api):
    assert refusal(api.get("/sessions/none/search", q="x")) == (404, "not_found")
    response = api.get(HERE, q="x", scope="path", leaf="none")
    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize("scope", ["path", "session"])
def test_a_session_is_needed_for_its_scopes(api, scope):
    response = api.get(URL, q="x", scope=scope)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"] == {"field": "scope"}


@pytest.mark.parametrize("path", [URL, HERE])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limit", 0),
        ("limit", 101),
        ("scope", "world"),
        ("since", "now"),
        ("until", "2025-13-01"),
    ],
)
def test_a_filter_that_cannot_be_is_named(api, path, field, value):
    response = api.get(path, **{"q": "x", field: value})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field


def test_a_query_is_needed(api):
    response = api.get(URL)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == "q"


@pytest.mark.parametrize("cursor", ["x", "LTE", "IngiCg"])
def test_it_refuses_a_cursor_that_it_did_not_give(api, cursor):
    assert refusal(api.get(URL, q="the", cursor=cursor)) == (422, "bad_cursor")


@pytest.mark.parametrize(
    "q", ['"', "AND", "a:b", "NEAR(", "-", "*", "((", "'; --", "^x"]
)
def test_no_query_is_a_failure(api, q):
    assert api.get(URL, q=q).status_code in (200, 422)


@pytest.mark.parametrize(
    "q", ["x" * 20_000, "x " * 10_000, "*ab* " * 5_000, '"' * 9999]
)
def test_a_long_query_is_answered(api, q):
    response = api.get(URL, q=q)

    assert response.status_code in (200, 422)
