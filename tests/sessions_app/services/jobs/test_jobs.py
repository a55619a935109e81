from __future__ import annotations

import os
import signal
import threading
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.utils.timezone import now

from sessions_app.errors import Failed
from sessions_app.models import Job
from sessions_app.services import jobs
from sessions_app.services.jobs import Rounds, enqueue, job, periodic, run_next

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def calls(monkeypatch):
    """Register three jobs for the test; note what they were called with."""
    made = []
    monkeypatch.setattr(jobs, "_jobs", {})
    monkeypatch.setattr(jobs, "_periodic", {})

    @job
    def greet(*, name):
        made.append(name)

    @job
    def stumble(*, reason):
        raise ValueError(reason)

    @job
    def nap(**kwargs):
        made.append(kwargs)

    return made


def later(**duration):
    return now() + timedelta(**duration)


def run(at=None):
    """Run the next job, which there has to be."""
    ran = run_next(at)
    assert ran
    ran.refresh_from_db()
    return ran


def test_it_works(calls):
    queued = enqueue("greet", name="Ada")

    ran = run()

    assert calls == ["Ada"]
    assert ran == queued
    assert ran.finished_at is not None
    assert ran.leased_until is None
    assert ran.attempts == 1
    assert ran.error == ""
    assert run_next() is None


def test_a_function_can_be_named_by_itself(calls):
    enqueue(jobs._jobs["nap"], depth=[1, {"deep": None}])

    run_next()

    assert calls == [{"depth": [1, {"deep": None}]}]


def test_the_oldest_comes_first(calls):
    enqueue("greet", name="second", run_after=later(seconds=-1))
    enqueue("greet", name="first", run_after=later(seconds=-2))

    run_next()
    run_next()

    assert calls == ["first", "second"]


def test_it_waits_until_its_time(calls):
    enqueue("greet", name="Ada", run_after=later(minutes=1))

    assert run_next() is None
    assert run_next(later(minutes=2))
    assert calls == ["Ada"]


def test_two_jobs_cannot_have_one_name():
    def greet():
        pass

    with pytest.raises(ValueError, match="Two jobs are called greet"):
        job(greet)


def test_a_key_has_one_unfinished_job():
    first = enqueue("greet", dedupe_key="k", name="Ada")

    assert enqueue("greet", dedupe_key="k", name="Bob") is None
    assert enqueue("greet", dedupe_key="other", name="Cid")
    assert first
    run_next()
    assert enqueue("greet", dedupe_key="k", name="Dan")


def test_a_running_job_still_has_its_key():
    enqueue("greet", dedupe_key="k", name="Ada")
    Job.objects.claim(now(), timedelta(minutes=1))

    assert enqueue("greet", dedupe_key="k", name="Bob") is None


def test_jobs_without_a_key_are_all_kept():
    assert enqueue("greet", name="Ada") != enqueue("greet", name="Ada")


def test_a_lost_race_leaves_the_callers_transaction_whole(monkeypatch):
    enqueue("greet", dedupe_key="k", name="Ada")
    # As if the other had been written after we looked.
    monkeypatch.setattr(type(Job.objects.all()), "exists", lambda self: False)

    with transaction.atomic():
        assert enqueue("greet", dedupe_key="k", name="Bob") is None
        enqueue("greet", name="Cid")

    assert Job.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_is_kept():
    barrier = threading.Barrier(4)
    kept = []

    def ask(name):
        barrier.wait()
        with transaction.atomic():
            kept.append(enqueue("greet", dedupe_key="k", name=name))
        connection.close()

    threads = [threading.Thread(target=ask, args=(str(n),)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(kept) == 4
    assert [each for each in kept if each] == list(Job.objects.all())


@pytest.mark.django_db(transaction=True)
def test_workers_share_the_jobs_without_running_one_twice(calls):
    for number in range(20):
        enqueue("greet", name=number)

    def work():
        while run_next():
            pass
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(calls) == list(range(20))
    assert not Job.objects.unfinished().exists()


def test_a_failed_job_is_tried_again_later():
    enqueue("stumble", reason="no\nluck")

    failed = run()

    assert failed.finished_at is None
    assert failed.leased_until is None
    assert failed.error == r"ValueError('no\nluck')"
    assert run_next(later(seconds=15)) is None
    assert run_next(later(seconds=25)) == failed


def test_who_asks_for_a_longer_wait_gets_it():
    @job
    def knock():
        raise Failed("busy", retry_after=500)

    enqueue(knock)

    assert run().run_after - now() == pytest.approx(
        timedelta(seconds=500), abs=timedelta(seconds=10)
    )


def test_the_waits_grow_to_an_hour():
    enqueue("stumble", reason="no luck")
    Job.objects.update(max_attempts=100, attempts=60)

    failed = run()

    assert failed.run_after - now() == pytest.approx(
        timedelta(hours=1), abs=timedelta(seconds=10)
    )


def test_it_gives_up_and_keeps_the_error():
    enqueue("stumble", dedupe_key="k", reason="no luck")
    Job.objects.update(max_attempts=2)

    run_next()
    failed = run(later(hours=1))

    assert failed.finished_at is not None
    assert failed.error == "ValueError('no luck')"
    assert failed.attempts == 2
    assert run_next(later(days=1)) is None
    assert enqueue("stumble", dedupe_key="k", reason="again")


def test_a_later_success_clears_the_error(calls):
    enqueue("greet", name="Ada")
    Job.objects.update(error="ValueError('no luck')", attempts=1)

    ran = run()

    assert ran.error == ""


def test_an_unknown_job_fails(caplog):
    enqueue("vanish")

    failed = run()

    assert failed.error == "KeyError('vanish')"
    assert "failed" in caplog.text


def test_a_killed_workers_job_is_due_when_its_lease_has_run_out(calls):
    enqueue("greet", name="Ada")
    Job.objects.claim(now(), timedelta(minutes=5))

    assert run_next(later(minutes=4)) is None
    assert run_next(later(minutes=6))
    assert calls == ["Ada"]


@pytest.mark.django_db(transaction=True)
def test_a_job_that_takes_long_keeps_its_lease(monkeypatch):
    """However long it is, no other worker takes it meanwhile."""
    monkeypatch.setattr(jobs, "BEAT", 0.01)
    monkeypatch.setattr(jobs, "LEASE", timedelta(seconds=1))
    leases = []

    @job
    def work():
        for _ in range(100):
            leases.append(Job.objects.get().leased_until)
            if len(set(leases)) > 3:
                break
            time.sleep(0.05)
        assert Job.objects.claim(now(), timedelta(seconds=1)) is None

    enqueue(work)

    assert run().error == ""
    assert len(set(leases)) > 3
    assert leases == sorted(leases)
    assert Job.objects.get().leased_until is None


def test_a_job_that_kills_each_worker_is_given_up(calls):
    enqueue("greet", name="Ada")
    Job.objects.update(attempts=5, leased_until=later(minutes=-1))

    given_up = run()

    assert given_up.finished_at is not None
    assert given_up.error == "The worker was killed"
    assert calls == []


def test_a_worker_that_lost_its_lease_notes_nothing():
    enqueue("greet", name="Ada")
    slow = Job.objects.claim(now(), timedelta(minutes=1))
    assert slow
    Job.objects.claim(later(minutes=2), timedelta(minutes=1))

    jobs._note_failure(slow, ValueError("too late"))

    slow.refresh_from_db()
    assert slow.attempts == 2
    assert slow.error == ""
    assert slow.leased_until is not None


def test_a_job_goes_with_the_callers_transaction():
    with transaction.atomic():
        enqueue("greet", name="Ada")
        transaction.set_rollback(True)

    assert not Job.objects.exists()


def test_a_periodic_function_is_called_at_first_and_then_in_time(calls):
    @periodic(3600)
    def tidy():
        calls.append("tidy")

    rounds = Rounds()
    rounds.run_due()
    rounds.run_due()
    assert calls == ["tidy"]

    rounds.due = {tidy: 0}
    rounds.run_due()
    assert calls == ["tidy", "tidy"]


def test_a_periodic_function_that_fails_harms_no_other(calls, caplog):
    @periodic(3600)
    def stumble():
        raise ValueError("no luck")

    @periodic(3600)
    def tidy():
        calls.append("tidy")

    Rounds().run_due()

    assert calls == ["tidy"]
    assert "Periodic job stumble failed" in caplog.text


@pytest.fixture
def signals_are_kept():
    """The command takes SIGTERM and SIGINT for itself."""
    before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("signals_are_kept")
def test_the_command_runs_what_is_due(calls, monkeypatch, capsys):
    monkeypatch.setattr("sessions_app.management.commands.run_jobs.discover", list)
    enqueue("greet", name="Ada")
    enqueue("greet", name="Bob")
    enqueue("greet", name="Cid", run_after=later(minutes=1))

    call_command("run_jobs", once=True)

    assert calls == ["Ada", "Bob"]
    assert capsys.readouterr().out == "Ran 2 jobs\n"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("signals_are_kept")
def test_the_command_ends_when_its_parent_is_gone(calls, monkeypatch, capsys):
    monkeypatch.setattr("sessions_app.management.commands.run_jobs.discover", list)
    enqueue("greet", name="Ada")

    call_command("run_jobs", with_parent=os.getppid() + 1)

    assert calls == []
    assert capsys.readouterr().out == ""
