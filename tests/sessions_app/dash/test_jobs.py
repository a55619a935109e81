from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.models import Job
from sessions_app.services.jobs import enqueue

pytestmark = pytest.mark.django_db


def add(name="compact_session", **fields):
    return Job.objects.create(name=name, **fields)


@pytest.fixture
def jobs(session):
    at = now()
    return {
        "waiting": add(kwargs={"session": session.id}),
        "retrying": add(
            error="Failed('<b>429</b>')",
            attempts=2,
            run_after=at + timedelta(minutes=6, seconds=9),
        ),
        "running": add(leased_until=at + timedelta(minutes=1), attempts=1),
        "failed": add("send_delivery", error="x" * 300, finished_at=at, attempts=5),
        "done": add(finished_at=at, attempts=1),
    }


def test_each_is_in_its_state(viewer, jobs):
    page = viewer.get("/jobs")

    assert {row["job"].id: row["state"] for row in page.context["rows"]} == {
        job.id: state for state, job in jobs.items()
    }
    assert page.context["counts"] == dict.fromkeys(jobs, 1)
    for state, job in jobs.items():
        rows = viewer.get("/jobs", {"state": state}).context["rows"]
        assert [row["job"].id for row in rows] == [job.id]
    text = page.content.decode()
    assert "in 6 min" in text
    assert "<b>429" not in text
    assert "x" * 300 in text
    assert "/sessions/" in text
    assert "import_upload" in page.context["kinds"]


def test_a_kind(viewer, jobs):
    rows = viewer.get("/jobs", {"kind": "send_delivery"}).context["rows"]
    assert [row["state"] for row in rows] == ["failed"]


def test_none_and_no_match(viewer):
    assert "Nothing to do" in viewer.get("/jobs").content.decode()
    assert "No job matches" in viewer.get("/jobs", {"kind": "x"}).content.decode()
    assert viewer.get("/jobs", {"state": "x"}).status_code == 200


def test_the_piece_is_the_list_alone(viewer, jobs):
    text = viewer.get("/jobs", headers={"HX-Request": "true"}).content.decode()
    assert text.startswith("<section")
    assert 'hx-trigger="every 5s"' in text


def test_one_that_failed_runs_again(operator, jobs):
    assert operator.post(f"/jobs/{jobs['failed'].id}", {"do": "run"}).status_code == 303
    copy = Job.objects.latest("id")
    assert (copy.name, copy.error, copy.finished_at) == ("send_delivery", "", None)


def test_one_that_waits_runs_now(operator, jobs):
    operator.post(f"/jobs/{jobs['retrying'].id}", {"do": "run"})
    jobs["retrying"].refresh_from_db()
    assert jobs["retrying"].run_after <= now()


def test_one_that_waits_is_cancelled(operator, jobs):
    operator.post(f"/jobs/{jobs['waiting'].id}", {"do": "cancel"})
    jobs["waiting"].refresh_from_db()
    assert jobs["waiting"].error == "Cancelled by oscar"
    assert jobs["waiting"].finished_at
    assert operator.get("/jobs").context["counts"]["failed"] == 1
    assert ">cancelled<" in operator.get("/jobs", {"state": "done"}).content.decode()


@pytest.mark.parametrize("do", ["run", "cancel"])
def test_one_that_runs_is_left_alone(operator, jobs, do):
    operator.post(f"/jobs/{jobs['running'].id}", {"do": do})
    assert "is running" in operator.get("/jobs").content.decode()
    assert Job.objects.filter(finished_at=None).count() == 3


def test_roles_and_bad_requests(viewer, operator, jobs):
    page = f"/jobs/{jobs['waiting'].id}"
    assert viewer.post(page, {"do": "cancel"}).status_code == 403
    assert b"Cancel job" not in viewer.get("/jobs").content
    assert operator.post(page, {"do": "x"}).status_code == 404
    assert operator.post("/jobs/999", {"do": "run"}).status_code == 404
    assert operator.get(page).status_code == 404
    assert Job.objects.filter(finished_at=None).count() == 3


def test_queries(viewer, session, django_assert_num_queries):
    for _ in range(60):
        enqueue("compact_session", session=session.id)
    viewer.get("/jobs")
    # Login session, person, groups; counted, read, the sessions, five counts.
    with django_assert_num_queries(11):
        page = viewer.get("/jobs")
    assert "1 to 50 of 60 jobs" in page.content.decode()
