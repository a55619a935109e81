from __future__ import annotations

from uuid import UUID

import pytest

from sessions_app.models import Message
from tests.api import api_of, counts, refusal
from tests.builders import compact, head, say, seen, talk

URL = "/sessions/trip/messages"
PARTS = [{"type": "text", "text": "Hello"}]
HELLO = {"role": "user", "parts": PARTS}


@pytest.fixture(autouse=True)
def _session(session):
    return session


def post(api, *messages, **options):
    return api.post(URL, {"messages": messages, **options})


def message(uid, **fields):
    return {"id": uid, **HELLO, **fields}


def test_it_works(api, session):
    response = post(api, message("m1"), message("m2", role="assistant"))

    assert response.status_code == 201
    answer = response.json()
    tokens = answer["items"][0]["tokens"]
    assert tokens > 0
    assert answer == {
        "items": [
            {"id": "m1", "status": "created", "seq": 0, "depth": 0, "tokens": tokens},
            {"id": "m2", "status": "created", "seq": 1, "depth": 1, "tokens": tokens},
        ],
        "head": "m2",
        "context_tokens": 2 * tokens,
        "compaction": None,
    }
    assert seen(session) == "m1 m2"


def test_it_makes_an_id(api):
    made = post(api, HELLO, HELLO | {"id": None}).json()["items"]

    assert [UUID(item["id"]).version for item in made] == [7, 7]
    first, second = api.get("/sessions/trip/history").json()["items"]
    assert first == {"id": made[0]["id"], **HELLO}
    assert second == {"id": made[1]["id"], **HELLO}


def test_a_string_as_content_is_one_text_part(api):
    post(api, {"id": "m", "role": "user", "content": "Hello", "x": 1.0})

    read = api.get(f"{URL}/m").json()["message"]
    assert read == {"id": "m", "role": "user", "x": 1.0, "parts": PARTS}


def test_it_follows_the_head(api, session):
    talk(session, "a b")

    assert post(api, message("c")).json()["items"][0]["depth"] == 2
    assert seen(session) == "a b c"


def test_it_follows_a_given_parent(api, session):
    talk(session, "a b c")

    answer = post(api, message("d"), message("e"), parent="a").json()

    assert answer["head"] == "e"
    assert seen(session) == "a d e"


def test_it_starts_a_new_root(api, session):
    talk(session, "a b")

    post(api, message("c"), parent=None)

    assert seen(session) == "c"


def test_the_parent_may_be_a_summary(api, session):
    talk(session, "a b c")
    echo = f"compaction_{compact(session, 'a', 'b').uid}"

    post(api, message("d"), parent=echo)

    assert seen(session) == "C[S] d"


def test_a_retry_changes_nothing(api, session):
    first = post(api, message("a"), message("b"))
    before = counts()

    again = post(api, message("a"), message("b", parts=[]))

    assert again.status_code == 200
    assert again.json()["head"] == first.json()["head"]
    assert [item["status"] for item in again.json()["items"]] == ["existing"] * 2
    assert again.json()["items"][1]["seq"] == 1
    assert counts() == before


def test_what_is_new_in_a_batch_is_added(api, session):
    talk(session, "a b")

    response = post(api, message("a"), message("b"), message("c"))

    assert response.status_code == 201
    statuses = [item["status"] for item in response.json()["items"]]
    assert statuses == ["existing", "existing", "created"]
    assert seen(session) == "a b c"


def test_the_echo_of_a_compaction_is_dropped(api, session):
    talk(session, "a b c")
    echo = message(f"compaction_{compact(session, 'a', 'b').uid}", role="assistant")

    answer = post(api, echo, message("d")).json()

    nothing = {"seq": None, "depth": None, "tokens": None}
    assert answer["items"][0] == {"id": echo["id"], "status": "dropped", **nothing}
    assert seen(session) == "C[S] c d"
    assert post(api, echo).status_code == 200


def test_it_expects_a_head(api, session):
    talk(session, "a b")

    assert post(api, message("c"), expected_head="b").status_code == 201


def test_it_expects_an_empty_session(api):
    assert post(api, message("a"), expected_head=None).status_code == 201
    assert refusal(post(api, message("b"), expected_head=None)) == (409, "head_moved")


def test_a_head_that_has_moved_is_refused(api, session):
    talk(session, "a b c d")
    before = counts()

    response = post(api, message("e"), expected_head="b")

    assert refusal(response) == (409, "head_moved")
    details = response.json()["error"]["details"]
    assert details["head"] == "d"
    assert details["missed"] == ["c", "d"]
    assert counts() == before


@pytest.mark.parametrize(
    ("on_conflict", "path"), [("branch", "a b e"), ("append", "a b c d e")]
)
def test_a_conflict_may_be_settled(api, session, on_conflict, path):
    talk(session, "a b c d")

    response = post(api, message("e"), expected_head="b", on_conflict=on_conflict)

    assert response.status_code == 201
    assert seen(session) == path


def test_a_fork_takes_messages(api, session):
    talk(session, "a b")
    api.post("/sessions/trip/fork", {"id": "fork"})

    answer = api.post("/sessions/fork/messages", {"messages": [message("b")]}).json()

    assert answer["items"][0]["status"] == "existing"
    assert head(session) == "b"


def test_it_needs_a_key(anonymous):
    assert refusal(post(anonymous, HELLO)) == (401, "unauthenticated")


def test_it_needs_more_than_a_reading_key(agent):
    assert refusal(post(api_of(agent, "read"), HELLO)) == (403, "forbidden")


def test_another_agents_session_does_not_exist(stranger_api):
    assert refusal(post(stranger_api, HELLO)) == (404, "not_found")
    assert Message.objects.count() == 0


def test_the_session_must_be_there(api):
    response = api.post("/sessions/none/messages", {"messages": [HELLO]})

    assert refusal(response) == (404, "not_found")


def test_the_parent_must_be_there(api, session):
    response = post(api, HELLO, parent="none")

    assert refusal(response) == (422, "unknown_parent")
    assert response.json()["error"]["details"] == {"parent": "none"}
    assert Message.objects.count() == 0


def test_the_parent_must_be_of_the_session(api, agent):
    api.put("/sessions/other", {})
    api.post("/sessions/other/messages", {"messages": [message("theirs")]})

    assert refusal(post(api, HELLO, parent="theirs")) == (422, "unknown_parent")


def test_the_parent_may_not_be_written_later_in_the_batch(api):
    assert refusal(post(api, message("a"), parent="a")) == (422, "unknown_parent")


def test_an_id_stands_once_in_a_batch(api, session):
    say(session, "a")
    before = counts()

    response = post(api, message("b"), message("c"), message("b"))

    assert refusal(response) == (422, "duplicate_id")
    assert response.json()["error"]["details"] == {"id": "b"}
    assert counts() == before


def test_a_thousand_messages_are_one_batch(api, settings):
    assert post(api, *[HELLO] * 1000).status_code == 201


def test_more_than_a_thousand_are_too_many(api):
    response = post(api, *[HELLO] * 1001)

    assert refusal(response) == (413, "too_large")
    details = {"field": "messages", "limit": 1000}
    assert response.json()["error"]["details"] == details
    assert Message.objects.count() == 0
