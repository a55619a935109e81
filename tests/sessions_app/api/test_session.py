"""Reading, changing and deleting one session."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.models import Session
from tests.api import api_of, counts, refusal
from tests.builders import compact, fresh, talk

URL = "/sessions/trip"


@pytest.fixture(autouse=True)
def _session(session):
    return session


def expire(session):
    Session.objects.filter(id=session.id).update(
        expires_at=now() - timedelta(seconds=1)
    )


def test_it_reads(api, session):
    talk(session, "a b c d")
    compact(session, "a", "c", "so far")

    read = api.get(URL).json()

    head = fresh(session).head
    assert (read["head"], read["message_count"], read["path_length"]) == ("d", 4, 4)
    assert 0 < read["context_tokens"] != head.path_tokens


def test_it_changes_what_is_given(api, session):
    before = api.get(URL).json()
    changes = {
        "name": "N",
        "metadata": {"a": 1},
        "model": "m",
        "source": "s",
        "end_reason": "done",
        "compact_after": 5,
    }

    after = api.patch(URL, changes).json()

    assert after.pop("updated_at") >= before.pop("updated_at")
    assert after == before | changes


def test_it_changes_nothing_that_is_not_given(api):
    api.patch(URL, {"name": "N", "compact_after": 5})

    after = api.patch(URL, {"model": "m"}).json()

    assert (after["name"], after["model"], after["compact_after"]) == ("N", "m", 5)


def test_it_archives_and_brings_back(api):
    archived = api.patch(URL, {"archived": True}).json()["archived_at"]

    assert archived
    assert api.patch(URL, {"archived": True}).json()["archived_at"] == archived
    assert api.patch(URL, {"archived": False}).json()["archived_at"] is None


def test_a_time_to_live_counts_from_now_and_can_end(api):
    assert api.patch(URL, {"ttl_seconds": 60}).json()["expires_at"]
    assert api.patch(URL, {"ttl_seconds": None}).json()["expires_at"] is None


def test_it_deletes(api, session):
    talk(session, "a b")

    response = api.delete(URL)

    assert response.status_code == 204
    assert response.content == b""
    assert refusal(api.get(URL)) == (404, "not_found")
    assert (counts()["Session"], counts()["Message"]) == (0, 0)


def test_an_expired_session_is_not_there(api, session):
    expire(session)

    assert refusal(api.get(URL)) == (404, "not_found")
    assert refusal(api.get(f"{URL}/history")) == (404, "not_found")
    assert refusal(api.post(f"{URL}/messages", {})) == (404, "not_found")
    assert api.get("/sessions").json()["items"] == []


@pytest.mark.parametrize("method", ["post", "put"])
def test_the_id_of_an_expired_session_is_free(api, session, method):
    talk(session, "a")
    expire(session)
    path = "/sessions" if method == "post" else URL

    made = getattr(api, method)(path, {"id": "trip", "name": "new"})

    assert made.status_code == 201
    assert (made.json()["name"], made.json()["message_count"]) == ("new", 0)


def test_a_key_for_all_agents_reads_any(admin_api):
    assert admin_api.get(URL).json()["agent"] == "support"


def test_a_key_for_all_agents_says_which_of_two(admin_api, stranger_api):
    stranger_api.put(URL, {})

    assert refusal(admin_api.get(URL)) == (409, "ambiguous")
    assert refusal(admin_api.delete(URL)) == (409, "ambiguous")
    assert admin_api.get(URL, agent="stranger").json()["agent"] == "stranger"
    assert refusal(admin_api.get(URL, agent="nobody")) == (404, "not_found")


CALLS = [("GET", None), ("PATCH", {"name": "x"}), ("DELETE", None)]


@pytest.mark.parametrize(("method", "body"), CALLS)
def test_it_needs_a_key(anonymous, method, body):
    assert refusal(anonymous.call(method, URL, body)) == (401, "unauthenticated")


@pytest.mark.parametrize(("method", "body"), CALLS[1:])
def test_it_needs_more_than_a_reading_key(agent, method, body):
    response = api_of(agent, "read").call(method, URL, body)

    assert refusal(response) == (403, "forbidden")


def test_a_reading_key_reads(agent):
    assert api_of(agent, "read").get(URL).status_code == 200


@pytest.mark.parametrize(("method", "body"), CALLS)
def test_another_agents_session_does_not_exist(stranger_api, method, body):
    response = stranger_api.call(method, URL, body)

    assert refusal(response) == (404, "not_found")
    assert response.json()["error"]["message"] == "No session 'trip'"
    assert counts()["Session"] == 1


@pytest.mark.parametrize(("method", "body"), CALLS)
def test_it_must_be_there(api, method, body):
    response = api.call(method, "/sessions/none", body)

    assert refusal(response) == (404, "not_found")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", None),
        ("name", "x" * 501),
        ("metadata", None),
        ("metadata", [1]),
        ("model", 5),
        ("source", True),
        ("archived", "false"),
        ("archived", None),
        ("end_reason", 1),
        ("ttl_seconds", 0),
        ("ttl_seconds", True),
        ("compact_after", -5),
        ("id", "other"),
        ("agent", "other"),
        ("head", "m1"),
    ],
)
def test_a_change_that_cannot_be_is_named(api, field, value):
    before = api.get(URL).json()

    response = api.patch(URL, {"name": "changed", field: value})

    assert refusal(response) == (422, "invalid")
    (wrong,) = response.json()["error"]["details"]["fields"]
    assert wrong["field"] == field
    assert api.get(URL).json() == before
