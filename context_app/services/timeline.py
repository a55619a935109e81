"""What happened to a session's memory, for its timeline."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from context_app.models import HeldWrite, Prompt, Version
from sessions_app.models import Session
from sessions_app.services import timeline
from sessions_app.services.timeline.events import Event


def register() -> None:
    timeline.SOURCES.extend([of_versions, of_prompts, of_held_writes])


def of_versions(session: Session, before: datetime | None, limit: int) -> list[Event]:
    """Writes to the blocks of the session itself; those it shares are the agent's."""
    rows = Version.objects.filter(block__session=session).select_related("block")
    rows = rows.defer("content", "description", "block__content")
    return [
        Event(
            row.created_at,
            "memory",
            f"version-{row.pk}",
            _written(row),
            who=row.author,
            detail="looks like prompt injection" if row.findings else "",
            about=("block", row.block.label),
        )
        for row in _newest(rows, "created_at", before, limit)
    ]


def _written(row: Version) -> str:
    name = f"{row.block.label}:{row.key}" if row.key else row.block.label
    if row.deleted:
        return f"Entry {name} deleted"
    return f"{'Entry' if row.key else 'Block'} {name} written, v{row.version}"


def of_prompts(session: Session, before: datetime | None, limit: int) -> list[Event]:
    rows = Prompt.objects.filter(session=session).defer("text")
    return [
        Event(
            row.frozen_at,
            "memory",
            f"prompt-{row.pk}",
            f"System prompt frozen, v{row.version}",
            detail=f"{row.tokens:,} tokens",
            about=("prompt", str(row.version)),
        )
        for row in _newest(rows, "frozen_at", before, limit)
    ]


def of_held_writes(
    session: Session, before: datetime | None, limit: int
) -> list[Event]:
    """A write that was held back, and what was decided of it."""
    rows = HeldWrite.objects.filter(block__session=session).select_related("block")
    rows = rows.defer("content", "description", "block__content")
    events = [
        Event(
            row.created_at,
            "memory",
            f"held-{row.pk}",
            f"Write to {row.block.label} held back",
            who=row.author,
            about=("held", str(row.pk)),
            failed=True,
        )
        for row in _newest(rows, "created_at", before, limit)
    ]
    decided = rows.exclude(decided_at=None)
    events += [
        Event(
            row.decided_at,
            "memory",
            f"decided-{row.pk}",
            f"Write to {row.block.label} {row.state}",
            who=row.decided_by,
            about=("held", str(row.pk)),
        )
        for row in _newest(decided, "decided_at", before, limit)
        if row.decided_at
    ]
    return events


def _newest(
    rows: QuerySet[Any], when: str, before: datetime | None, limit: int
) -> list[Any]:
    reached = Q() if before is None else Q(**{f"{when}__lt": before})
    return list(rows.filter(reached).order_by(f"-{when}", "-id")[:limit])
