"""A message with what the tree knows of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from sessions_app.models import Message
from sessions_app.models.fields import from_millis
from sessions_app.services.forest.finding import Tree, get_found
from sessions_app.services.forest.history import History, Step
from sessions_app.services.forest.trees import labels
from sessions_app.sql.snapshots import snapshot

# How many messages a query asks for.
AT_ONCE = 10_000


@dataclass(slots=True)
class Envelope:
    """
    A message's JSON text, and its place in the tree.

    For a compaction's summary the place is that of the first message it covers.
    """

    body: str
    parent: str | None
    depth: int
    seq: int | None
    tokens: int
    path_tokens: int
    children: int
    label: str | None
    created_at: datetime


def get_envelope(session: Tree, uid: str) -> Envelope:
    """
    Return a message that the session sees.

    :raises NotFound: if it sees none of that id
    """
    with snapshot():
        found = get_found(session, uid)
        body = Message.objects.values_list("body", flat=True).get(id=found.id)
        return envelopes(session, [Step(found.id, None, body)])[0]


def history_envelopes(session: Tree, history: History) -> list[Envelope]:
    return envelopes(session, history.steps)


def envelopes(session: Tree, steps: Sequence[Step]) -> list[Envelope]:
    """Return steps of a history with their places, in three queries for thousands."""
    return [
        envelope
        for at in range(0, len(steps), AT_ONCE)
        for envelope in _envelopes(session, steps[at : at + AT_ONCE])
    ]


def _envelopes(session: Tree, steps: Sequence[Step]) -> Iterator[Envelope]:
    ids = [step.message for step in steps]
    firsts = [step.compaction.first_id for step in steps if step.compaction]
    messages = {
        message.id: message
        for message in Message.objects.filter(id__in=[*ids, *firsts])
        .select_related("parent")
        .defer("body", "parent__body")
    }
    replies = dict(
        Message.objects.filter(session=session.id, parent__in=ids)
        .values_list("parent")
        .annotate(count=Count("id"))
    )
    names = labels(session, ids)
    for step in steps:
        compaction, message = step.compaction, messages[step.message]
        place = messages[compaction.first_id] if compaction else message
        # All that is inherited lies on the way to the fork point.
        goes_on = (
            message.session_id != session.id and message.id != session.fork_point_id
        )
        yield Envelope(
            body=step.body,
            parent=place.parent.uid if place.parent else None,
            depth=place.depth,
            seq=None if compaction else place.seq,
            tokens=compaction.tokens_after if compaction else place.tokens,
            path_tokens=message.path_tokens,
            children=replies.get(message.id, 0) + goes_on,
            label=None if compaction else names.get(message.id),
            created_at=(
                from_millis(compaction.created_at) if compaction else place.created_at
            ),
        )
