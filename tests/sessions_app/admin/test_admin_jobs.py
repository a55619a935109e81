from __future__ import annotations

from datetime import timedelta

from django.utils.timezone import now

from sessions_app.models import Job
from tests.admin_pages import act, page_of


def test_a_job_that_waits_is_run_now(admin_client, job):
    Job.objects.update(
        run_after=now() + timedelta(hours=1), attempts=3, error="KeyError()"
    )

    response = act(admin_client, "run_again", job)

    assert "will be run" in response.content.decode()
    assert Job.objects.due(now()).get() == job


def test_a_finished_job_is_run_as_a_copy(admin_client, job):
    Job.objects.update(finished_at=now(), error="KeyError()", attempts=5)

    act(admin_client, "run_again", job)

    copy = Job.objects.due(now()).get()
    assert copy != job
    assert (copy.name, copy.kwargs, copy.dedupe_key) == (job.name, job.kwargs, "trip")
    job.refresh_from_db()
    assert job.error == "KeyError()"


def test_a_finished_job_waits_for_another_of_its_key(admin_client, job):
    Job.objects.update(finished_at=now())
    act(admin_client, "run_again", job)

    response = act(admin_client, "run_again", job)

    assert "is waiting already" in response.content.decode()
    assert Job.objects.count() == 2


def test_a_running_job_is_left_alone(admin_client, job):
    later = now().replace(microsecond=0) + timedelta(minutes=5)
    Job.objects.update(leased_until=later, run_after=now() - timedelta(hours=1))

    response = act(admin_client, "run_again", job)

    assert "is running" in response.content.decode()
    job.refresh_from_db()
    assert job.leased_until == later


def test_a_job_whose_worker_died_is_run(admin_client, job):
    Job.objects.update(leased_until=now() - timedelta(minutes=5))

    assert "will be run" in act(admin_client, "run_again", job).content.decode()


def test_jobs_are_deleted(admin_client, job):
    assert "1 job<" in act(admin_client, "delete_selected", job).content.decode()

    act(admin_client, "delete_selected", job, post="yes")

    assert not Job.objects.exists()


def test_jobs_are_told_apart_by_their_state(admin_client, job):
    def listed(state):
        response = admin_client.get(page_of(Job, "changelist"), {"state": state})
        return response.context["cl"].result_count

    assert (listed("waiting"), listed("failed")) == (1, 0)
    Job.objects.update(finished_at=now(), error="KeyError()")
    assert (listed("waiting"), listed("done"), listed("failed")) == (0, 0, 1)
