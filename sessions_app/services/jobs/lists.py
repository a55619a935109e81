"""The jobs as an operator looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.timezone import now

from sessions_app.errors import NotFound
from sessions_app.models import Job, Session
from sessions_app.services.jobs import registered
from sessions_app.services.jobs.rerunning import CANCELLED

STATES = ("running", "waiting", "retrying", "failed", "done")


def of_state(state: str) -> QuerySet[Job]:
    """Return the jobs of one of the states; "" is all of them."""
    at = now()
    held = Q(leased_until__gt=at)
    jobs = Job.objects.all()
    over = Q(error="") | Q(error__startswith=CANCELLED)
    unfinished, finished = Q(finished_at=None), Q(finished_at__isnull=False)
    conditions = {
        "running": unfinished & held,
        "waiting": unfinished & ~held & Q(error=""),
        "retrying": unfinished & ~held & ~Q(error=""),
        "failed": finished & ~over,
        "done": finished & over,
    }
    if state:
        jobs = jobs.filter(conditions[state])
    # Those to come first, then the newest of those that were.
    order = ["run_after", "id"] if state in ("waiting", "retrying") else ["-id"]
    return jobs.order_by(*order)


def state_of(job: Job) -> str:
    if job.finished_at is not None:
        if job.error.startswith(CANCELLED):
            return "cancelled"
        return "failed" if job.error else "done"
    if job.leased_until is not None and job.leased_until > now():
        return "running"
    return "retrying" if job.error else "waiting"


def get_job(session: Session, job: int) -> Job:
    """
    Return a job of a session.

    :raises NotFound: if it has none of that number
    """
    found = Job.objects.filter(id=job, kwargs__session=session.id).first()
    if found is None:
        raise NotFound(f"No job {job} of this session")
    return found


def counts() -> dict[str, int]:
    return {state: of_state(state).order_by().count() for state in STATES}


def kinds() -> list[str]:
    """Return the names of all jobs that there are, also those that never ran."""
    return registered()


def sessions_of(jobs: Sequence[Job]) -> dict[int, Session]:
    """Return the sessions that jobs are about, by the ids of the jobs."""
    named: dict[int, Any] = {job.id: job.kwargs.get("session") for job in jobs}
    ids = {pk for pk in named.values() if isinstance(pk, int)}
    found = Session.objects.living().in_bulk(ids)
    return {job: found[pk] for job, pk in named.items() if pk in found}
