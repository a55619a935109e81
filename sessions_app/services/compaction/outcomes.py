"""What a session keeps of the last attempt to compact it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.timezone import now

from sessions_app import sql
from sessions_app.models import Session, Webhook
from sessions_app.services.compaction.plans import threshold_of
from sessions_app.services.webhooks import queue_event
from sessions_app.sql import writes

LONGEST_ERROR = 1000


def context_tokens(session: Session) -> int:
    """Return what the path to the head takes in a model's context now."""
    standing = sql.first(writes.STANDING, session=session.id)
    return standing[1] if standing else 0


def note_success(session: Session) -> None:
    """Forget the last failure: there is nothing more that it was about."""
    _note(
        session, compaction_error="", compaction_failed_at=None, compaction_tried=None
    )


def note_tried(session: Session) -> None:
    """Note that there was nothing to do, so that the next append need not ask again."""
    _note(
        session,
        compaction_error="",
        compaction_failed_at=None,
        compaction_tried=_if_above(session, context_tokens(session)),
    )


@transaction.atomic
def note_failure(session: Session, error: str) -> None:
    """Keep why it failed; where the attempt before did not fail, that is an event."""
    tokens = context_tokens(session)
    error = error.replace("\0", " ")[:LONGEST_ERROR]
    was_well = Session.objects.filter(id=session.id, compaction_failed_at=None)
    is_first = was_well.update(compaction_failed_at=now())
    _note(
        session,
        compaction_error=error,
        compaction_failed_at=now(),
        compaction_tried=_if_above(session, tokens),
    )
    if is_first:
        queue_event(
            Webhook.Event.COMPACTION_FAILED,
            agent=session.agent,
            compaction={
                "session": session.key,
                "agent": session.agent.name,
                "error": error,
                "context_tokens": tokens,
            },
        )


def _if_above(session: Session, tokens: int) -> int | None:
    threshold = threshold_of(session)
    return tokens if threshold is not None and tokens > threshold else None


def _note(session: Session, **changes: Any) -> None:
    with transaction.atomic():
        Session.objects.filter(id=session.id).update(**changes)
    for name, value in changes.items():
        setattr(session, name, value)
