"""Running a job another time, for an operator who has mended what made it fail."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from sessions_app.errors import Conflict
from sessions_app.models import Job
from sessions_app.services.jobs import enqueue

# What the error of a job begins with that somebody ended.
CANCELLED = "Cancelled by"


class JobIsRunning(Conflict):
    pass


class JobIsWaiting(Conflict):
    pass


@transaction.atomic
def run_again(job: Job) -> Job:
    """
    Have a job run now: one that waits goes first, and of a finished one there is a copy.

    :raises JobIsRunning: if a worker has it just now
    :raises JobIsWaiting: if it is finished, and another of its key is not
    """
    if job.finished_at is None:
        at = now()
        free = Q(leased_until=None) | Q(leased_until__lte=at)
        if not Job.objects.held(job).filter(free).update(run_after=at):
            raise JobIsRunning(f"Job {job} is running")
        return job
    copy = enqueue(job.name, dedupe_key=job.dedupe_key, **job.kwargs)
    if copy is None:
        raise JobIsWaiting(f"Another job {job.dedupe_key!r} is waiting already")
    return copy


@transaction.atomic
def cancel(job: Job, *, by: str) -> None:
    """
    End a job that waits, without running it.

    :raises JobIsRunning: if a worker has it just now, or has had it
    """
    at = now()
    free = Q(leased_until=None) | Q(leased_until__lte=at)
    waiting = Job.objects.held(job).filter(free)
    if not waiting.update(finished_at=at, error=f"{CANCELLED} {by}"[:1000]):
        raise JobIsRunning(f"Job {job} is running, or is finished by now")
