"""The Compactions tab, as it is looked at."""

from __future__ import annotations

import pytest

from sessions_app.services.compaction.automatic import queue
from sessions_app.services.compaction.outcomes import note_failure
from sessions_app.services.compaction.overlays import update_compaction
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.jobs import run_next
from tests.builders import append, compact, draft, fresh, say, talk

PIECE = {"HX-Request": "true"}


def url(session, rest=""):
    return f"/sessions/{session.id}/compactions{rest}"


def body(client, session, rest="", status=200, **headers):
    response = client.get(url(session, rest), headers=headers)
    assert response.status_code == status
    return response.content.decode()


@pytest.fixture
def compacted(session):
    talk(session, "alpha beta gamma delta epsilon zeta eta theta")
    compact(
        session, "gamma", "delta", "The inner one", model="haiku", cost_nanos=42_000_000
    )
    compact(session, "beta", "epsilon", "**The outer** one", created_by="auto")
    return fresh(session)


def test_the_list_says_what_stands_for_what(viewer, compacted):
    shown = body(viewer, compacted)

    assert "4 messages" in shown
    assert "#2 to #5" in shown
    assert "1 older compaction inside" in shown
    assert "haiku · $0.0420" in shown
    assert "on the main path" in shown


def test_one_opens_to_before_and_after(viewer, compacted):
    outer = compacted.compactions.get(created_by="auto")

    shown = body(viewer, compacted, f"?open={outer.uid}")
    assert "<strong>The outer</strong>" in shown
    assert "beta" in shown
    assert "compacted before" in shown
    assert ">delta<" not in shown

    peeled = body(viewer, compacted, f"?open={outer.uid}&peel=1")
    assert ">delta<" in peeled

    piece = body(
        viewer,
        compacted,
        f"?open={outer.uid}&from=5",
        **PIECE,
        **{"HX-Target": "originals"},
    )
    assert "<html" not in piece
    assert "epsilon" in piece
    assert ">beta<" not in piece


def test_what_is_not_there_is_not_found(viewer, compacted):
    body(viewer, compacted, "?open=nothing", status=404)
    body(viewer, compacted, "?leaf=nothing", status=404)
    assert "4 messages" in body(viewer, compacted, "?from=x")


def test_nothing_is_not_an_error(viewer, session):
    assert "Nothing is compacted" in body(viewer, session)
    talk(session, "a b")
    assert "only when it is asked for" in body(viewer, session)


def test_texts_are_escaped(viewer, operator, session):
    probe = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    say(session, probe, uid='a"><script>alert(3)</script>')
    talk(session, "b c")
    made = compact(
        session, fresh(session).messages.get(depth=0).uid, "b", probe, created_by=probe
    )
    note_failure(session, probe)

    for client, rest in (
        (viewer, ""),
        (viewer, f"?open={made.uid}"),
        (operator, f"?edit={made.uid}"),
    ):
        shown = body(client, session, rest)
        assert "<script>alert" not in shown
        assert "<img src=x" not in shown


def test_a_viewer_sees_no_act(viewer, operator, compacted):
    assert "/disable" not in body(viewer, compacted)
    assert "compactions/make" not in body(viewer, compacted)
    assert "/disable" in body(operator, compacted)


def test_a_disabled_one_says_so(viewer, compacted):
    outer = compacted.compactions.get(created_by="auto")
    update_compaction(session=compacted, uid=outer.uid, state="disabled")

    assert ">disabled<" in body(viewer, compacted)


def test_the_plan_is_shown_by_its_numbers(operator, session):
    append(session, *(draft("many words " * 300, f"m{n}") for n in range(1, 61)))

    shown = body(operator, session)

    assert "The plan covers <b>#4 to #" in shown
    assert "Compact by the plan" in shown
    assert 'value="#4"' in shown


def test_a_failed_attempt_shows_when_it_is_tried_again(operator, session):
    talk(session, "a b")
    note_failure(session, "The model did not answer")
    job = queue(session.id)
    job.error, job.attempts = "x", 1
    job.run_after = job.run_after.replace(year=job.run_after.year + 1)
    job.save()

    shown = body(operator, session)

    assert "The model did not answer" in shown
    assert "Next try" in shown
    assert "Try now" in shown


def test_the_status_is_silent_until_something_changes(viewer, session):
    append(session, *(draft("many words " * 300, f"m{n}") for n in range(1, 61)))
    queue(session.id, summarizer="extractive", only_if_due=False)
    assert "waits for a worker" in body(viewer, session)

    body(viewer, session, "/status?known=waiting-0", status=204, **PIECE)
    run_next()
    shown = body(viewer, session, "/status?known=waiting-0", **PIECE)

    assert "A new compaction is there" in shown
    assert "every 2s" not in shown


def test_a_fork_shows_its_own(viewer, compacted):
    other = fork_session(session=compacted, at="eta", key="other")

    shown = body(viewer, other, f"?open={other.compactions.first().uid}")

    assert "on the main path" in shown
    assert "gamma" in shown


def test_strangers_are_sent_to_log_in(client, session):
    for rest in ("", "/status"):
        assert client.get(url(session, rest))["Location"].startswith("/login")


def test_its_queries_do_not_grow_with_the_messages(
    viewer, session, django_assert_num_queries
):
    append(session, *(draft("word", f"m{n}") for n in range(1, 301)))
    compact(session, "m3", "m200")
    body(viewer, session)

    with django_assert_num_queries(21):
        body(viewer, session)
