"""The background jobs: what waits, what runs, what failed and why."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast, warn
from sessions_app.dash.pages import page_of
from sessions_app.errors import Conflict
from sessions_app.models import Job
from sessions_app.services.jobs import lists as job_lists
from sessions_app.services.jobs import rerunning


@page(Role.VIEWER, nav="operations")
def jobs(request: PageRequest) -> HttpResponse:
    state, kind = request.GET.get("state", ""), request.GET.get("kind", "")
    state = state if state in job_lists.STATES else ""
    rows = job_lists.of_state(state)
    if kind:
        rows = rows.filter(name=kind)
    found = page_of(request, rows)
    linked = job_lists.sessions_of(list(found))
    context: dict[str, Any] = {
        "page": found,
        "rows": [
            {
                "job": job,
                "state": job_lists.state_of(job),
                "session": linked.get(job.id),
            }
            for job in found
        ],
        "state": state,
        "kind": kind,
        "kinds": job_lists.kinds(),
        "counts": job_lists.counts(),
    }
    return show(request, "jobs/jobs.html", context, piece="jobs/_jobs.html")


@page(Role.VIEWER, nav="operations", act=Role.OPERATOR)
def job_act(request: PageRequest, pk: int) -> HttpResponse:
    """Run a job again, or cancel one that waits: ``do`` says which."""
    job = Job.objects.filter(pk=pk).first()
    do = request.POST.get("do")
    if job is None or do not in ("run", "cancel"):
        raise Http404("There is no such job (any more), or nothing to do.")
    try:
        if do == "run":
            rerunning.run_again(job)
            toast(request, f"{job.name} runs as soon as a worker is free")
        else:
            rerunning.cancel(job, by=str(request.user))
            toast(request, f"{job.name} is cancelled")
    except Conflict as exc:
        warn(request, exc)
    return go(request, reverse("jobs"))
