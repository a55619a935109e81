from __future__ import annotations

import pytest

from sessions_app.models import ApiKey, Job, Session, Usage
from sessions_app.services.jobs import run_next
from tests.api import api_of, refusal
from tests.budgeting import limit, spend
from tests.builders import append, draft, fresh, seen
from tests.llm_server import llm_server, says, status

PLAN = "/sessions/trip/compactions/plan"
URL = "/sessions/trip/compact"
UIDS = "a b c d e f g h i j"


@pytest.fixture
def api(agent):
    return api_of(agent)


@pytest.fixture(autouse=True)
def _messages(session, settings):
    settings.SUMMARIZER = "auto"
    settings.SUMMARIZER_URL = ""
    Session.objects.filter(id=session.id).update(compact_after=500)
    append(session, *(draft("word " * 74, uid) for uid in UIDS.split()))
    Job.objects.all().delete()


def test_a_plan_is_carried_out_by_the_client(api, session):
    plan = api.get(PLAN)

    assert plan.status_code == 200
    found = plan.json()
    assert "## Open Items" in found.pop("prompt")
    assert found == {
        "from": "d",
        "to": "h",
        "count": 5,
        "budget_tokens": 101,
        "planned_at": "j",
    }
    del found["count"], found["budget_tokens"]
    assert (
        api.post("/sessions/trip/compactions", found | {"summary": "S"}).status_code
        == 201
    )
    assert seen(session) == "a b c C[S] i j"
    assert api.get(PLAN).status_code == 204


def test_a_plan_of_a_branch_that_was_left(api):
    found = api.get(PLAN).json()
    api.put("/sessions/trip/head", {"message": "b"})

    body = {key: found[key] for key in ("from", "to", "planned_at")} | {"summary": "S"}

    assert refusal(api.post("/sessions/trip/compactions", body)) == (409, "stale_plan")


def test_a_key_to_read_may_see_the_plan(agent):
    reader = api_of(agent, "read")

    assert reader.get(PLAN).status_code == 200
    assert refusal(reader.post(URL, {})) == (403, "forbidden")


def test_another_agents_session_does_not_exist(stranger):
    other = api_of(stranger)

    assert refusal(other.get(PLAN)) == (404, "not_found")
    assert refusal(other.post(URL, {})) == (404, "not_found")


def test_it_is_a_job(api, session):
    answer = api.post(URL, {})

    assert answer.status_code == 202
    assert answer.json() == {"job": Job.objects.get().id}
    assert api.post(URL, {}).json() == answer.json()
    run_next()
    assert "C[## Topic" in seen(session)
    (made,) = api.get("/sessions/trip/compactions").json()["items"]
    assert made["created_by"].startswith("key mh_")


def test_how_the_job_goes(api, session):
    job = api.post(URL, {}).json()["job"]

    waiting = api.get(f"/sessions/trip/jobs/{job}").json()
    run_next()
    done = api.get(f"/sessions/trip/jobs/{job}").json()

    assert (waiting["job"], waiting["state"], waiting["attempts"]) == (
        job,
        "waiting",
        0,
    )
    assert waiting["run_after"]
    assert not waiting["finished_at"]
    assert (done["state"], done["attempts"], done["error"]) == ("done", 1, None)
    assert done["finished_at"]
    assert not done["run_after"]


def test_why_the_job_failed(api, session, settings):
    with llm_server(status(500)) as server:
        settings.SUMMARIZER_URL = server.url
        job = api.post(URL, {}).json()["job"]
        run_next()

    failed = api.get(f"/sessions/trip/jobs/{job}").json()

    assert (failed["state"], failed["attempts"]) == ("retrying", 1)
    assert "answered 500" in failed["error"]


def test_a_job_of_another_session_does_not_exist(api, stranger, session):
    job = api.post(URL, {}).json()["job"]
    api.post("/sessions", {"id": "other"})

    assert refusal(api.get(f"/sessions/other/jobs/{job}")) == (404, "not_found")
    assert refusal(api.get("/sessions/trip/jobs/999")) == (404, "not_found")
    theirs = api_of(stranger).get(f"/sessions/trip/jobs/{job}")
    assert refusal(theirs) == (404, "not_found")


def test_no_model_is_asked_when_a_budget_is_used_up(api, session, settings):
    limit("0.10", hard=True)
    spend(session, "0.10")
    with llm_server(says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        answer = api.post(URL, {"wait": True})
        free = api.post(URL, {"wait": True, "summarizer": "extractive"})

    assert refusal(answer) == (402, "budget_exceeded")
    assert "no model was asked" in answer.json()["error"]["message"]
    assert "extractive" in answer.json()["error"]["details"]["what_to_do"]
    assert server.prompts == []
    assert free.status_code == 200


def test_a_summary_counts_to_the_key_that_asked(api, session, settings):
    with llm_server(says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        api.post(URL, {})
        run_next()

    row = Usage.objects.get()
    assert row.key == ApiKey.objects.get()
    assert row.latency_ms is not None


def test_a_job_that_was_asked_for_does_not_mind_the_threshold(api, session):
    Session.objects.filter(id=session.id).update(compact_after=5000)
    append(session, draft("word " * 2000, "k"), draft("", "l"))
    Job.objects.all().delete()

    api.post(URL, {})
    run_next()

    assert "C[" in seen(session)


def test_waiting_for_it(api, session):
    answer = api.post(URL, {"wait": True})

    assert answer.status_code == 200
    made = answer.json()
    assert (made["from"], made["to"], made["method"]) == ("d", "h", "extractive")
    assert api.post(URL, {"wait": True}).status_code == 204


def test_waiting_for_a_model(api, settings):
    with llm_server(says("What was said")) as server:
        settings.SUMMARIZER_URL = server.url
        made = api.post(URL, {"wait": True}).json()

    assert (made["summary"], made["method"], made["model"]) == (
        "What was said", "openai", "small-1",
    )  # fmt: skip
    (row,) = api.get("/sessions/trip/usage").json()["items"]
    assert (row["purpose"], row["input_tokens"]) == ("compaction", 200)


def test_the_summarizer_that_is_named(api, settings):
    settings.SUMMARIZER_URL = "http://127.0.0.1:1/v1"

    made = api.post(URL, {"wait": True, "summarizer": "extractive"}).json()

    assert made["method"] == "extractive"


@pytest.mark.parametrize("name", ["openai", "nobody"])
@pytest.mark.parametrize("wait", [True, False])
def test_a_summarizer_that_is_not_there(api, name, wait):
    answer = api.post(URL, {"summarizer": name, "wait": wait})

    assert refusal(answer) == (422, "unknown_summarizer")
    assert Job.objects.count() == 0


def test_a_model_that_fails(api, settings):
    with llm_server(status(500)) as server:
        settings.SUMMARIZER_URL = server.url
        answer = api.post(URL, {"wait": True})

    assert refusal(answer) == (502, "summarizer_failed")
    shown = api.get("/sessions/trip").json()
    assert "answered 500" in shown["compaction_error"]
    assert shown["compaction_failed_at"].endswith("Z")


def test_with_an_idempotency_key_a_model_is_never_waited_for(api, session, settings):
    with llm_server(says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        answer = api.post(URL, {"wait": True}, idempotency_key="once")

        assert answer.status_code == 202
        assert server.requests == []
        again = api.post(URL, {"wait": True}, idempotency_key="once")
        assert again.json() == answer.json()


def test_with_an_idempotency_key_the_built_in_one_is(api):
    answer = api.post(URL, {"wait": True}, idempotency_key="once")

    assert answer.status_code == 200
    again = api.post(URL, {"wait": True}, idempotency_key="once")
    assert again.json() == answer.json()


def test_an_append_says_that_a_compaction_is_queued(api, session):
    message = {"role": "user", "parts": [{"type": "text", "text": "word"}]}

    answer = api.post("/sessions/trip/messages", {"messages": [message]})

    assert answer.json()["compaction"] == "queued"
    run_next()
    assert fresh(session).compactions.count() == 1


@pytest.mark.parametrize(
    "body", [{"wait": "yes"}, {"summariser": "x"}, [], {"wait": 1}]
)
def test_what_is_not_understood(api, body):
    assert refusal(api.post(URL, body))[0] == 422
