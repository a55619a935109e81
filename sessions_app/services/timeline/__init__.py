"""
What happened to a session, newest first, put together from all that keeps a time.

Apps that this one does not know of add their sources when they start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sessions_app.models import Session
from sessions_app.services.timeline import changes as timeline_changes
from sessions_app.services.timeline import counts as timeline_counts
from sessions_app.services.timeline import sources as timeline_sources
from sessions_app.services.timeline.events import Event

# What a source is asked for beyond a page: so many may have happened in one millisecond.
AT_ONE_TIME = 100
# Years that can be counted with.
EARLIEST, LATEST = 1, 9999
KINDS = ("session", "messages", "compactions", "calls", "jobs", "memory")

# Called with a session, a moment (None: now) and a number: returns so many of the newest
# events that were not after it.
Source = Callable[[Session, datetime | None, int], list[Event]]

SOURCES: list[Source] = [
    timeline_sources.of_session,
    timeline_sources.of_relatives,
    timeline_counts.of_messages,
    timeline_changes.of_changes,
    timeline_sources.of_compactions,
    timeline_counts.of_calls,
    timeline_sources.of_jobs,
]


@dataclass(frozen=True, slots=True)
class Timeline:
    """``older`` is where the next page begins."""

    events: list[Event]
    older: str | None


def read_timeline(
    *, session: Session, before: str | None = None, kind: str = "", limit: int = 50
) -> Timeline:
    """
    Return the newest events, or those below the place that ``before`` names.

    What is no place of ours is the beginning.
    """
    place = _place(before)
    # The millisecond of the last event may hold more of them.
    moment = place[0] + timedelta(milliseconds=1) if place else None
    found = [
        event
        for source in SOURCES
        for event in source(session, moment, limit + AT_ONE_TIME)
        if (not kind or event.kind == kind) and (place is None or event.place < place)
    ]
    found.sort(key=lambda event: event.place, reverse=True)
    shown = found[:limit]
    return Timeline(shown, shown[-1].cursor if len(found) > limit else None)


def _place(cursor: str | None) -> tuple[datetime, str] | None:
    at, _, ref = (cursor or "").partition("~")
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    if moment.tzinfo is None or not EARLIEST < moment.year < LATEST:
        return None
    return moment, ref
