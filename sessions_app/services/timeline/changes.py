"""What was done to a session's messages after they were written, and undone of it."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q

from sessions_app.models import MessageChange, Session
from sessions_app.services.timeline.events import Event
from sessions_app.services.undoing.changes import changes_of

SAID = {
    MessageChange.Action.EDIT: "edited",
    MessageChange.Action.REPARENT: "deleted",
    MessageChange.Action.SUBTREE: "deleted with all below",
    MessageChange.Action.CLEAR: "cleared",
}


def of_changes(session: Session, before: datetime | None, limit: int) -> list[Event]:
    """Changes; those that can still be undone are about themselves."""
    rows = changes_of(session)
    reached = Q() if before is None else Q(created_at__lt=before)
    events = [
        Event(
            row.created_at,
            "messages",
            f"change-{row.pk}",
            _said(row),
            who=row.by,
            detail=_named(row) + (", undone" if row.undone_at else ""),
            about=("", "") if row.undone_at else ("change", str(row.pk)),
        )
        for row in rows.filter(reached)[:limit]
    ]
    reached = Q() if before is None else Q(undone_at__lt=before)
    undone = rows.filter(reached).exclude(undone_at=None).order_by("-undone_at", "-id")
    events += [
        Event(
            row.undone_at,
            "messages",
            f"undone-{row.pk}",
            f"Undone: {_said(row)}",
            who=row.undone_by,
            detail=_named(row),
        )
        for row in undone[:limit]
        if row.undone_at
    ]
    return events


def _said(change: MessageChange) -> str:
    noun = "message" if change.count == 1 else "messages"
    return f"{change.count:,} {noun} {SAID[MessageChange.Action(change.action)]}"


def _named(change: MessageChange) -> str:
    more = "…" if change.count > len(change.first) else ""
    return ", ".join(change.first) + more
