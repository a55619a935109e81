"""The events that this app keeps times of."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from sessions_app.models import Compaction, Job, Session
from sessions_app.services.compaction.automatic import COMPACT
from sessions_app.services.jobs.lists import state_of
from sessions_app.services.timeline.events import Event


def of_session(session: Session, before: datetime | None, limit: int) -> list[Event]:
    """What a session's own row says."""
    made = "Session made"
    about = ("", "")
    source = session.parent_session
    if source and session.fork_point:
        made = f"Forked from {source.name or source.key}"
        about = ("session", str(source.pk))
    elif source:
        made = f"Session made below {source.name or source.key}"
        about = ("session", str(source.pk))
    events = [Event(session.created_at, "session", "made", made, about=about)]
    if session.archived_at:
        events.append(Event(session.archived_at, "session", "archived", "Archived"))
    if session.compaction_failed_at:
        failed = Event(
            session.compaction_failed_at,
            "compactions",
            "failed",
            "Compaction failed",
            detail=session.compaction_error,
            about=("compactions", ""),
            failed=True,
        )
        events.append(failed)
    return [event for event in events if before is None or event.at < before]


def of_relatives(session: Session, before: datetime | None, limit: int) -> list[Event]:
    """Sessions that go on from it, or were made below it."""
    rows = _before(Session.objects.filter(parent_session=session), before, limit)
    return [
        Event(
            child.created_at,
            "session",
            f"child-{child.pk}",
            f"Forked into {child.name or child.key}"
            if child.fork_point_id
            else f"Session {child.name or child.key} made below it",
            about=("session", str(child.pk)),
        )
        for child in rows
    ]


def of_compactions(
    session: Session, before: datetime | None, limit: int
) -> list[Event]:
    rows = _before(
        Compaction.objects.filter(session=session)
        .select_related("first", "last")
        .defer("first__body", "last__body"),
        before,
        limit,
    )
    return [
        Event(
            row.created_at,
            "compactions",
            f"compaction-{row.pk}",
            f"#{row.first.depth + 1} to #{row.last.depth + 1} compacted",
            who=row.created_by,
            detail=f"{row.tokens_before:,} to {row.tokens_after:,} tokens by {row.method}"
            + (f", {row.model}" if row.model else "")
            + (", disabled now" if row.state == Compaction.State.DISABLED else ""),
            about=("compaction", row.uid),
        )
        for row in rows
    ]


# How an event says the states of jobs that are not words for it.
ENDINGS = {
    "done": "finished",
    "waiting": "waits",
    "running": "runs",
    "retrying": "failed, and waits to be tried again",
}


def of_jobs(session: Session, before: datetime | None, limit: int) -> list[Event]:
    jobs = Job.objects.filter(name=COMPACT, kwargs__session=session.id)
    events = []
    for job in _before(jobs, before, limit):
        state = state_of(job)
        ending = ENDINGS.get(state, state)
        if state == "done" and job.attempts > 1:
            ending += f" at attempt {job.attempts}"
        events.append(
            Event(
                job.created_at,
                "jobs",
                f"job-{job.pk}",
                f"Job {job.name} {ending}",
                detail=job.error,
                about=("job", str(job.pk)),
                failed=state in ("failed", "retrying"),
            )
        )
    return events


def _before(rows: QuerySet[Any], before: datetime | None, limit: int) -> list[Any]:
    """Return the newest of what keeps when it was made."""
    reached = Q() if before is None else Q(created_at__lt=before)
    return list(rows.filter(reached).order_by("-created_at", "-id")[:limit])
