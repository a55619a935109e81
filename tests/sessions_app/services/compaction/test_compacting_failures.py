from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from email.utils import format_datetime

import orjson
import pytest
from django.utils.timezone import now

from sessions_app.models import Compaction, Job, Session
from sessions_app.services.compaction.automatic import queue
from sessions_app.services.compaction.compacting import compact
from sessions_app.services.compaction.summarizers import (
    SUMMARIZERS,
    SummarizerFailed,
    Summary,
)
from sessions_app.services.jobs import run_next
from sessions_app.services.registry.selections import trash_sessions
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.webhooks import create_webhook
from tests.builders import append, draft, fresh, seen
from tests.builders import compact as cover
from tests.compacting import UIDS, answers, configure, fill, run
from tests.llm_server import hangs, llm_server, says, sends, status


@pytest.fixture(autouse=True)
def _settings(settings):
    configure(settings)


@pytest.fixture
def session(session):
    return fill(session)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (status(500), "answered 500: out of order"),
        (status(200, "no credit left"), "answered 200: no credit left"),
        (status(401, "Incorrect API key: sk-very-secret"), "answered 401: Incorrect API key: ***"),
        (says(""), "reply is empty"),
        (says("<think>hm</think>  "), "reply is empty"),
        (says(None), "reply is empty"),
        (says("And then", finish_reason="length"), "cut off"),
        (says("word " * 500), "takes 654 tokens, not less than the 505 that"),
        (sends(b"x" * 10_000_000), "more than 2097152 bytes"),
        (sends(b'{"choices": []}'), "no choices"),
        (sends(b"<html>"), "not answer in JSON"),
        (sends(b"[]"), "not answer with an object"),
        (hangs(3), "did not answer in time"),
    ],
)  # fmt: skip
def test_a_model_that_fails(session, settings, caplog, reply, reason):
    settings.SUMMARIZER_TIMEOUT = 1.0 if reason.endswith("time") else 20.0
    with llm_server(reply) as server:
        settings.SUMMARIZER_URL = server.url
        with pytest.raises(SummarizerFailed, match=reason.replace("*", r"\*")):
            compact(session=session)

    found = fresh(session)
    assert reason in found.compaction_error
    assert found.compaction_failed_at
    assert seen(session) == UIDS
    assert "sk-very-secret" not in caplog.text + found.compaction_error


def test_what_failed_was_paid_for_all_the_same(session, settings):
    with llm_server(says("")) as server:
        settings.SUMMARIZER_URL = server.url
        with pytest.raises(SummarizerFailed):
            compact(session=session)

    assert session.usage_rows.get().input_tokens == 200


def test_a_model_whose_name_no_database_takes(session, settings):
    with llm_server(says("S", model="a\0b")) as server:
        settings.SUMMARIZER_URL = server.url

        assert compact(session=session).model == "a b"

    assert session.usage_rows.get().model == "a b"


def test_a_clients_summary_clears_the_error(session, settings):
    with llm_server(status(503)) as server:
        settings.SUMMARIZER_URL = server.url
        with pytest.raises(SummarizerFailed):
            compact(session=session)

    cover(session, "d", "h")

    found = fresh(session)
    assert (found.compaction_error, found.compaction_failed_at) == ("", None)


def test_a_failure_is_an_event_once(session, settings):
    webhook = create_webhook(agent=session.agent, url="https://hooks.example.org/x")
    with llm_server(status(503), status(503), says("S"), status(503)) as server:
        settings.SUMMARIZER_URL = server.url
        for failures in (1, 1, 1, 2):
            with suppress(SummarizerFailed):
                compact(session=fresh(session))
            append(session, draft("word " * 300))
            assert webhook.deliveries.count() == failures

    told = orjson.loads(webhook.deliveries.earliest("id").payload)
    assert told["event"] == "compaction.failed"
    assert told["compaction"] == {
        "session": "trip",
        "agent": "support",
        "error": "The summarizer at 127.0.0.1 answered 503: out of order",
        "context_tokens": 1010,
    }


def test_a_success_clears_the_error(session, settings):
    with llm_server(status(503), says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        with pytest.raises(SummarizerFailed):
            compact(session=session)
        assert compact(session=fresh(session))

    found = fresh(session)
    assert (found.compaction_error, found.compaction_failed_at) == ("", None)


# The job


def test_the_job(session):
    job = queue(session.id)
    assert queue(session.id) == job

    ran = run()

    assert ran == job
    assert (ran.error, bool(ran.finished_at)) == ("", True)
    made = Compaction.objects.get(session=session)
    assert (made.method, made.created_by) == ("extractive", "auto")


def test_a_job_that_fails_is_tried_again_later_and_later(session, settings, caplog):
    with llm_server(status(503), status(503), says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        queue(session.id)
        first = run()
        assert "answered 503" in first.error
        assert first.finished_at is None
        assert first.run_after > now() + timedelta(seconds=15)
        assert run_next() is None
        assert fresh(session).compaction_error
        append(session, draft("", "k"))

        second = run(first.run_after)
        assert second.run_after - first.run_after > timedelta(seconds=15)
        third = run(second.run_after)

    assert (third.error, third.attempts) == ("", 3)
    assert Job.objects.count() == 1
    assert fresh(session).compaction_error == ""
    assert "C[S]" in seen(session)
    assert "sk-very-secret" not in caplog.text + first.error


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [
        ("90", 85, 90),
        (timedelta(minutes=10), 500, 600),
        (timedelta(minutes=-10), 15, 20),
        ("99999999999999999999", 3590, 3600),
        ("soon", 15, 20),
        ("-5", 15, 20),
        ("", 15, 20),
    ],
)
def test_it_waits_for_as_long_as_the_model_asks(session, settings, said, least, most):
    if isinstance(said, timedelta):
        said = format_datetime(now() + said, usegmt=True)
    with llm_server(status(429, Retry_After=said)) as server:
        settings.SUMMARIZER_URL = server.url
        queue(session.id)
        failed = run()

    assert "answered 429" in failed.error
    assert least < (failed.run_after - now()).total_seconds() <= most


def test_a_summarizer_that_was_taken_away(session):
    """The operator has removed its address since the job was asked for."""
    queue(session.id, summarizer="openai")

    assert "not set up" in run().error
    assert "not set up" in fresh(session).compaction_error


def test_what_is_in_the_trash_is_shown_to_no_model(session, settings):
    queue(session.id)
    trash_sessions(pks=[session.id], trashed=True)
    with llm_server(says("S")) as server:
        settings.SUMMARIZER_URL = server.url

        assert run().error == ""
        assert server.requests == []


def test_who_asks_for_it_does_not_wait_for_the_next_try(session, settings):
    with llm_server(status(503)) as server:
        settings.SUMMARIZER_URL = server.url
        queue(session.id)
        failed = run()
    assert run_next() is None

    assert queue(session.id, summarizer="extractive", only_if_due=False) == failed

    assert run() == failed
    assert Compaction.objects.get().method == "extractive"


def test_the_job_of_a_session_that_is_gone(session):
    queue(session.id)
    delete_session(session=session)

    assert run().error == ""


def test_a_session_that_is_deleted_meanwhile(session, monkeypatch):
    def vanish(steps, budget, note):
        delete_session(session=session)
        return Summary("S")

    monkeypatch.setitem(SUMMARIZERS, "extractive", vanish)
    queue(session.id)

    assert run().error == ""
    assert not Compaction.objects.exists()


def test_nobody_is_made_longer_unasked(session):
    """What was not asked for has to help."""
    long = answers("many words " * 500)

    assert compact(session=session, summarizer=long, only_if_due=True) is None
    assert seen(session) == UIDS
    assert compact(session=session, summarizer=long)


def test_a_threshold_that_was_raised_meanwhile(session):
    queue(session.id)
    Session.objects.filter(id=session.id).update(compact_after=100_000)

    assert run().error == ""
    assert seen(session) == UIDS
