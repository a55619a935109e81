from __future__ import annotations

import pytest

from tests.api import api_of, counts, refusal, walk
from tests.builders import compact, fresh, say, seen, talk

URL = "/sessions/trip/compactions"


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c d e f")
    return session


def post(api, first="b", last="d", summary="S", **options):
    return api.post(URL, {"from": first, "to": last, "summary": summary, **options})


def test_it_adds(api, session):
    response = post(api, planned_at="f")

    assert response.status_code == 201
    made = response.json()
    assert made.pop("created_at").endswith("Z")
    assert made.pop("created_by").startswith("key mh_")
    assert made.pop("tokens_before") > made.pop("tokens_after") > 0
    assert made.pop("id")
    assert made == made | {
        "from": "b",
        "to": "d",
        "count": 3,
        "summary": "S",
        "state": "active",
        "method": "client",
    }
    assert seen(session) == "a C[S] e f"


def test_it_spares_tokens(api, session):
    before = api.get("/sessions/trip").json()["context_tokens"]

    made = post(api).json()

    after = api.get("/sessions/trip").json()["context_tokens"]
    assert before - after == made["tokens_before"] - made["tokens_after"]


def test_it_lists(api):
    first, second = post(api, "b", "c").json(), post(api, "d", "e").json()

    answer = api.get(URL).json()

    assert answer == {"items": [first, second], "next": None}
    assert walk(api, URL, limit=1) == answer["items"]


def test_it_switches_off_and_on(api, session):
    path = f"{URL}/{post(api).json()['id']}"

    assert api.patch(path, {"state": "disabled"}).json()["state"] == "disabled"
    assert seen(session) == "a b c d e f"
    assert api.patch(path, {"state": "active"}).json()["state"] == "active"
    assert seen(session) == "a C[S] e f"


def test_it_rewrites_the_summary(api, session):
    path = f"{URL}/{post(api).json()['id']}"

    changed = api.patch(path, {"summary": "T"}).json()

    assert (changed["summary"], changed["state"]) == ("T", "active")
    assert seen(session) == "a C[T] e f"


def test_it_changes_nothing_when_nothing_is_given(api):
    made = post(api).json()

    assert api.patch(f"{URL}/{made['id']}", {}).json() == made


def test_the_id_may_be_that_of_its_message(api):
    made = post(api).json()["id"]

    assert api.delete(f"{URL}/compaction_{made}").status_code == 204


def test_it_deletes(api, session):
    path = f"{URL}/{post(api).json()['id']}"

    assert api.delete(path).status_code == 204
    assert seen(session) == "a b c d e f"
    assert refusal(api.delete(path)) == (404, "not_found")


@pytest.mark.parametrize(
    ("first", "last"), [("b", "x"), ("x", "d"), ("d", "b"), ("g", "f")]
)
def test_the_ends_must_be_on_one_path_in_order(api, session, first, last):
    say(session, "g", parent="a")

    assert refusal(post(api, first, last)) == (422, "bad_range")


@pytest.mark.parametrize(
    ("first", "last"), [("a", "b"), ("d", "e"), ("c", "c"), ("b", "c")]
)
def test_it_may_not_overlap_in_part(api, session, first, last):
    made = compact(session, "b", "d")

    response = post(api, first, last)

    assert refusal(response) == (409, "compaction_overlap")
    assert response.json()["error"]["details"] == {"compaction": made.uid}
    assert counts()["Compaction"] == 1


def test_it_may_hold_another(api, session):
    compact(session, "b", "d", "inner")

    assert post(api, "a", "e", "outer").status_code == 201
    assert seen(session) == "C[outer] f"


def test_one_that_no_longer_fits_stays_off(api, session):
    path = f"{URL}/{post(api, 'b', 'd').json()['id']}"
    api.patch(path, {"state": "disabled"})
    compact(session, "c", "e")

    assert refusal(api.patch(path, {"state": "active"})) == (409, "compaction_overlap")


def test_a_plan_of_another_branch_is_stale(api, session):
    say(session, "g", parent="a")

    response = post(api, planned_at="f")

    assert refusal(response) == (409, "stale_plan")
    assert response.json()["error"]["details"] == {"planned_at": "f"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("summary", ""),
        ("summary", None),
        ("summary", 5),
        ("from", ""),
        ("from", None),
        ("from", 1),
        ("to", []),
        ("to", "x" * 201),
        ("planned_at", 5),
        ("state", "active"),
    ],
)
def test_what_cannot_be_is_named(api, field, value):
    body = {"from": "b", "to": "d", "summary": "S", field: value}

    response = api.post(URL, body)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field
    assert counts()["Compaction"] == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [("state", "off"), ("state", True), ("summary", ""), ("summary", 5), ("from", "a")],
)
def test_a_change_that_cannot_be_is_named(api, field, value):
    made = post(api).json()

    response = api.patch(f"{URL}/{made['id']}", {field: value})

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["fields"][0]["field"] == field
    assert api.get(URL).json()["items"] == [made]


CALLS = [
    ("GET", "", None),
    ("POST", "", {"from": "a", "to": "b", "summary": "S"}),
    ("PATCH", "/x", {}),
    ("DELETE", "/x", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_it_needs_a_key(anonymous, method, path, body):
    response = anonymous.call(method, URL + path, body)

    assert refusal(response) == (401, "unauthenticated")


@pytest.mark.parametrize(("method", "path", "body"), CALLS[1:])
def test_it_needs_more_than_a_reading_key(agent, method, path, body):
    response = api_of(agent, "read").call(method, URL + path, body)

    assert refusal(response) == (403, "forbidden")


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_another_agents_does_not_exist(api, stranger_api, method, path, body):
    made = post(api).json()["id"]

    response = stranger_api.call(method, URL + path.replace("x", made), body)

    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize(("method", "path", "body"), CALLS[2:])
def test_it_must_be_there(api, method, path, body):
    assert refusal(api.call(method, URL + path, body)) == (404, "not_found")


def test_it_must_be_of_the_session(api):
    api.put("/sessions/other", {})
    made = post(api).json()["id"]

    response = api.delete(f"/sessions/other/compactions/{made}")

    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize("summary", ["", " \n", "\u3000"])
def test_a_summary_has_to_say_something(api, session, summary):
    path = f"{URL}/{post(api).json()['id']}"

    assert refusal(post(api, "e", "f", summary)) == (422, "invalid")
    assert refusal(api.patch(path, {"summary": summary})) == (422, "invalid")
    assert refusal(api.post("/sessions/trip/split", {"summary": summary}))[0] == 422
    assert seen(session) == "a C[S] e f"
    assert fresh(session).end_reason == ""


def test_the_id_of_a_summary_stands_for_what_it_covers(api, session):
    inner = f"compaction_{post(api, 'b', 'c').json()['id']}"
    later = f"compaction_{post(api, 'e', 'f').json()['id']}"

    made = post(api, inner, later, "T").json()

    assert (made["from"], made["to"], made["count"]) == ("b", "f", 5)
    assert seen(session) == "a C[T]"
    assert refusal(post(api, "a", "compaction_x")) == (422, "bad_range")
    assert refusal(post(api, "compaction_x", "f")) == (422, "bad_range")
