from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from sessions_app.models import IdempotencyRecord, Session
from tests.api import counts, refusal

URL = "/sessions"
HEADER = "Idempotency-Key"


def post(api, body, key="k", path=URL):
    return api.call("POST", path, body, **{HEADER: key})


def test_the_same_request_is_answered_alike_and_carried_out_once(api):
    first = post(api, {"name": "N"})
    before = counts()

    again = post(api, {"name": "N"})

    assert (first.status_code, again.status_code) == (201, 201)
    assert again.content == first.content
    assert again["Content-Type"] == "application/json"
    assert (first.get("Idempotency-Replayed"), again["Idempotency-Replayed"]) == (
        None,
        "true",
    )
    assert counts() == before


def test_it_is_answered_as_it_was_then(api):
    first = post(api, {"id": "x"})
    api.patch("/sessions/x", {"name": "changed"})

    assert post(api, {"id": "x"}).content == first.content


def test_messages_without_ids_are_written_once(api, session):
    body = {"messages": [{"role": "user", "content": "x"}] * 3}

    first, again = (post(api, body, path="/sessions/trip/messages") for _ in "12")

    assert again.content == first.content
    assert counts()["Message"] == 3


@pytest.mark.parametrize(
    ("body", "path"), [({"name": "M"}, URL), ({"name": "N"}, f"{URL}?x=1")]
)
def test_a_key_is_for_one_request(api, body, path):
    post(api, {"name": "N"})

    assert refusal(post(api, body, path=path)) == (422, "idempotency_key_reused")
    assert Session.objects.count() == 1


def test_another_key_is_another_request(api):
    first, second = post(api, {}, "k1"), post(api, {}, "k2")

    assert first.json()["id"] != second.json()["id"]


def test_keys_are_the_callers_own(api, stranger_api, admin_api):
    answers = [post(each, {}).json()["id"] for each in (api, stranger_api, admin_api)]

    assert len(set(answers)) == 3


def test_a_failed_request_leaves_nothing_and_may_be_tried_again(api):
    assert refusal(post(api, {"name": 5})) == (422, "invalid")
    assert refusal(post(api, {"parent_session": "x"})) == (422, "unknown_session")
    assert IdempotencyRecord.objects.count() == 0

    assert post(api, {"name": "N"}).status_code == 201


def test_a_refusal_after_a_write_leaves_nothing(api, session):
    post(api, {"id": "x"}, "k1")
    before = counts()

    assert refusal(post(api, {"id": "x"}, "k2")) == (409, "session_exists")
    assert counts() == before


def test_a_failure_leaves_nothing(api, session, monkeypatch):
    def fail(*args):
        raise RuntimeError

    api.client.raise_request_exception = False
    monkeypatch.setattr("sessions_app.api.sessions.reply", fail)
    before = counts()

    assert refusal(post(api, {}))[0] == 500
    assert counts() == before


def test_only_a_post_is_remembered(api):
    api.call("PUT", "/sessions/x", {}, **{HEADER: "k"})

    assert IdempotencyRecord.objects.count() == 0


def test_it_needs_a_key_to_the_api(anonymous):
    assert refusal(post(anonymous, {})) == (401, "unauthenticated")


@pytest.mark.parametrize("key", ["", "x" * 201, "a\tb", "ü" * 300])
def test_it_must_be_a_short_line(api, key):
    response = post(api, {}, key)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"] == {"field": HEADER}
    assert Session.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_two_at_once_do_the_work_once(api):
    together = Barrier(2)

    def send(_):
        together.wait()
        return post(api, {})

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(send, "12")

    assert first.content == second.content
    replayed = {first.get("Idempotency-Replayed"), second.get("Idempotency-Replayed")}
    assert replayed == {None, "true"}
    assert Session.objects.count() == 1
