"""What happened to a session, newest first."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils.timezone import now

from sessions_app.models import Job, Message
from sessions_app.services.compaction.overlays import update_compaction
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.jobs.rerunning import cancel
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.timeline import read_timeline
from sessions_app.services.writing.editing import set_label
from tests.blocks import block
from tests.builders import append, compact, draft, fresh, talk

pytestmark = pytest.mark.django_db


def address(session, **query) -> str:
    return reverse("session-events", args=[session.pk], query=query)


def happened(session, **options) -> list[str]:
    events = read_timeline(session=fresh(session), **options).events
    return [event.what for event in events]


def test_messages_are_grouped_by_minute_and_role(session):
    talk(session, "a b c")
    append(session, draft("d", "d", "assistant"))
    Message.objects.filter(uid="a").update(created_at=now() - timedelta(hours=1))
    said = [what for what in happened(session) if "written" in what]
    assert said[-1] == "1 user message written"
    assert sorted(said[:-1]) == [
        "1 assistant message written",
        "2 user messages written",
    ]


def test_compactions_calls_and_jobs(session):
    talk(session, "a b c d")
    compaction = compact(session, "b", "c", created_by="operator ada")
    update_compaction(session=session, uid=compaction.uid, state="disabled")
    for uid in ("a", "b"):
        add_usage(
            session=session,
            message=uid,
            model="m",
            tokens=Tokens(),
            cost=Decimal("0.5"),
            purpose="chat",
        )
    Job.objects.create(
        name="compact_session", kwargs={"session": session.id}, error="no model"
    )
    Job.objects.create(name="compact_session", kwargs={"session": session.id + 1})
    events = {e.what: e for e in read_timeline(session=fresh(session)).events}
    assert events["#2 to #3 compacted"].who == "operator ada"
    assert "disabled now" in events["#2 to #3 compacted"].detail
    assert events["2 chat calls of m"].nanos == 10**9
    assert events["Job compact_session failed, and waits to be tried again"].failed
    assert sum("Job" in what for what in events) == 1


def test_a_job_that_failed_at_first(session):
    """What went wrong is forgotten when it succeeds, but not that it did."""
    fields = {"kwargs": {"session": session.id}, "attempts": 3, "finished_at": now()}
    Job.objects.create(name="compact_session", **fields)

    (event,) = read_timeline(session=session, kind="jobs").events

    assert event.what == "Job compact_session finished at attempt 3"
    assert not event.failed


def test_a_job_that_somebody_cancelled(session):
    job = Job.objects.create(name="compact_session", kwargs={"session": session.id})
    cancel(job, by="operator ada")

    (event,) = read_timeline(session=session, kind="jobs").events

    assert (event.what, event.failed) == ("Job compact_session cancelled", False)
    assert "operator ada" in event.detail


def test_a_job_that_failed_for_good(session):
    fields = {"kwargs": {"session": session.id}, "attempts": 5, "finished_at": now()}
    Job.objects.create(name="compact_session", error="no model", **fields)

    (event,) = read_timeline(session=session, kind="jobs").events

    assert (event.what, event.failed) == ("Job compact_session failed", True)


def test_forks_are_told_on_both_sides(session):
    talk(session, "a b")
    fork = fork_session(session=session, at="a", name="other")
    assert "Forked into other" in happened(session)
    assert f"Forked from {session.key}" in happened(fork)


def test_memory_adds_its_own(session):
    block(session, "soul", "be kind")
    assert any("soul" in what for what in happened(session, kind="memory"))


def test_pages_go_on_without_a_gap_or_a_repetition(session):
    talk(session, " ".join(f"m{n}" for n in range(60)))
    for n, message in enumerate(Message.objects.order_by("id")):
        # Three to a minute, of which some at the same millisecond.
        moment = now() - timedelta(minutes=n // 3)
        Message.objects.filter(id=message.id).update(
            created_at=moment, role=f"role{n % 3}"
        )
    whole = happened(session, limit=500)
    paged, before = [], None
    while True:
        page = read_timeline(session=fresh(session), before=before, limit=7)
        paged += [event.what for event in page.events]
        before = page.older
        if before is None:
            break
    assert paged == whole
    assert len(whole) == 61


def test_the_page_and_its_pieces(session, viewer):
    talk(session, "a b")
    set_label(session=session, uid="a", text="<script>alert(1)</script>")
    session.name = "<img src=x>"
    session.save()
    fork_session(session=session, at="a", name="<b>fork</b>")
    page = viewer.get(address(session)).content.decode()
    assert "user messages written" in page
    for probe in ("<script>alert", "<img src=x", "<b>fork"):
        assert probe not in page
    piece = viewer.get(address(session), headers={"HX-Request": "true"})
    assert "<html" not in piece.content.decode()


def test_a_kind_without_events_is_no_match(session, viewer):
    page = viewer.get(address(session, kind="calls")).content.decode()
    assert "No event of the kind calls" in page


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"kind": "nonsense"}, 422),
        ({"before": "nonsense"}, 200),
        ({"before": "2025-01-01"}, 200),
        ({"before": "0001-01-01T00:00:00+00:00~x"}, 200),
        ({"before": "9999-12-31T23:59:59+00:00~x"}, 200),
        ({"before": "1969-01-01T00:00:00+00:00~x"}, 200),
    ],
)
def test_addresses_that_make_no_sense(session, viewer, query, status):
    assert viewer.get(address(session, **query)).status_code == status


def test_who_may_see_it(session, client, viewer):
    assert client.get(address(session)).url.startswith("/login")
    assert viewer.post(address(session)).status_code == 405


def test_queries(session, viewer, django_assert_max_num_queries):
    talk(session, "a b c")
    with django_assert_max_num_queries(34):
        viewer.get(address(session))
