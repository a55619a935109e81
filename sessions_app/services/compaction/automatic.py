"""When a session is compacted without being asked: one job, queued by the append."""

from __future__ import annotations

from typing import Any, Literal

from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from sessions_app.models import Job
from sessions_app.services.jobs import enqueue
from sessions_app.sql.writes import SessionRow

# The job's name: it is in compacting.py, which the hot path need not import.
COMPACT = "compact_session"
# Of a threshold: how much a context has to grow after an attempt that could do no more,
# for another.
GROWTH = 0.1


def is_due(row: SessionRow, context_tokens: int) -> bool:
    """
    Say whether a context has outgrown its threshold, so that an attempt is worth it.

    Where the last one had nothing to do, it waits until there is somewhat more.
    """
    if not row.compact_after or context_tokens <= row.compact_after:
        return False
    return not waits(row.compaction_tried, context_tokens, row.compact_after)


def waits(tried: int | None, context_tokens: int, threshold: int) -> bool:
    """Say whether an attempt would come to nothing, as one has at ``tried`` tokens."""
    return tried is not None and 0 <= context_tokens - tried < GROWTH * threshold


def queue_if_due(row: SessionRow, context_tokens: int) -> Literal["queued"] | None:
    """Queue a compaction of the session that is locked; it is one, however often asked."""
    if not is_due(row, context_tokens):
        return None
    enqueue(COMPACT, dedupe_key=dedupe_key(row.id), session=row.id)
    return "queued"


def queue(session_id: int, **options: Any) -> Job:
    """
    Return the job that is to compact a session now: a new one, or the one that waits.

    One that waits takes over the options, for now somebody has asked for it.
    """
    key = dedupe_key(session_id)
    while True:
        new = enqueue(COMPACT, dedupe_key=key, session=session_id, **options)
        if new:
            return new
        if waiting := Job.objects.unfinished().filter(dedupe_key=key).first():
            at = now()
            free = Q(leased_until=None) | Q(leased_until__lte=at)
            with transaction.atomic():
                Job.objects.held(waiting).filter(free).update(
                    run_after=at, kwargs={"session": session_id, **options}
                )
            return waiting


def dedupe_key(session_id: int) -> str:
    return f"compact session {session_id}"
