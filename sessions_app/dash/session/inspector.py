"""What stands beside a transcript: what the path has cost, and one message's facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sessions_app.dash.rendering.tags import Segment
from sessions_app.models import Message, Session, Usage
from sessions_app.services.forest.envelopes import Envelope, get_envelope
from sessions_app.services.forest.finding import find_place
from sessions_app.services.spend.sessions import session_totals
from sessions_app.services.spend.sums import Sums

# What a prompt and an answer are counted in, with the series that draws it everywhere.
BUCKETS = (
    ("3", "Cache write", "cache_write_tokens"),
    ("4", "Cache read", "cache_read_tokens"),
    ("1", "Input", "input_tokens"),
    ("2", "Output", "output_tokens"),
)
# Calls on one message: more of them are counted, but not listed.
CALLS = 5


@dataclass(slots=True)
class MessageFacts:
    uid: str
    place: Envelope
    role: str
    calls: Sequence[Usage]
    more_calls: int

    @property
    def number(self) -> int:
        return self.place.depth + 1


@dataclass(slots=True)
class Inspector:
    """``path`` and ``tree`` are None where no call was ever noted."""

    path: Sums | None = None
    tree: Sums | None = None
    message: MessageFacts | None = None

    @property
    def segments(self) -> list[Segment]:
        return [
            Segment(series=series, name=name, tokens=getattr(self.path, field))
            for series, name, field in BUCKETS
            if self.path and getattr(self.path, field)
        ]

    @property
    def total(self) -> int:
        return sum(segment["tokens"] for segment in self.segments)


def inspector_of(
    session: Session, leaf: str | None, selected: str | None = None
) -> Inspector:
    """
    Return what ``session/_inspector.html`` shows: of the message selected, or the leaf.

    :raises NotFound: if the session sees no such leaf
    """
    found = Inspector()
    if session.calls or session.fork_point_id is not None:
        totals = session_totals(session=session, leaf=leaf)
        if totals.tree.calls:
            found.path, found.tree = totals.path, totals.tree
    uid = selected or leaf
    if uid is not None:
        found.message = _facts(session, uid)
    return found


def _facts(session: Session, uid: str) -> MessageFacts | None:
    """The id of a compaction's summary stands for the last message it covers."""
    place = find_place(session, uid)
    if place is None:
        return None
    envelope = get_envelope(session, place.uid)
    # Calls of a fork's source on what is shared are not the fork's, but of the message.
    calls = list(Usage.objects.filter(message=place.id).order_by("id")[: CALLS + 1])
    count = len(calls)
    if count > CALLS:
        count = Usage.objects.filter(message=place.id).count()
    return MessageFacts(
        uid=place.uid,
        place=envelope,
        role=Message.objects.values_list("role", flat=True).get(id=place.id),
        calls=calls[:CALLS],
        more_calls=max(count - CALLS, 0),
    )
