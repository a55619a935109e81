"""How compacting a session goes now: the job that waits or runs, the last failure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.utils.timezone import now

from sessions_app.models import Job, Session
from sessions_app.services.compaction.automatic import dedupe_key

Going = Literal["", "waiting", "running", "retrying"]


@dataclass(frozen=True, slots=True)
class CompactionState:
    """
    ``going`` says what the job does; nothing: there is none.

    ``error`` is of the last attempt, and ``next_try`` when the job tries again.
    """

    going: Going
    since: datetime | None
    next_try: datetime | None
    attempts: int
    error: str
    failed_at: datetime | None


def compaction_state(session: Session) -> CompactionState:
    job = Job.objects.unfinished().filter(dedupe_key=dedupe_key(session.id)).first()
    going: Going = ""
    if job is not None:
        at = now()
        if job.leased_until is not None and job.leased_until > at:
            going = "running"
        else:
            going = "retrying" if job.error and job.run_after > at else "waiting"
    return CompactionState(
        going=going,
        since=job.created_at if job else None,
        next_try=job.run_after if job and going == "retrying" else None,
        attempts=job.attempts if job else 0,
        error=session.compaction_error,
        failed_at=session.compaction_failed_at,
    )
