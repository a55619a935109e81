"""What forking at a message, or deleting it, would touch: asked before it is done."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from sessions_app import sql
from sessions_app.models import Compaction, Message, Session
from sessions_app.services.browsing.windows import count_below
from sessions_app.services.forest.finding import Found, get_found, is_on_path
from sessions_app.services.forest.trees import inherited_child
from sessions_app.sql import climbs


@dataclass(frozen=True, slots=True)
class ForkSizes:
    """How many messages a fork would have, by what it takes along."""

    path: int
    branches: int
    tree: int
    leaves_below: int
    compactions: int
    compactions_on_path: int


@dataclass(frozen=True, slots=True)
class Deletion:
    """
    What goes with a message: ``below`` counts it and all that follows, on so many
    branches. ``children`` follow it directly; ``forks`` share it and keep it.
    """

    children: int
    below: int
    leaves: int
    forks: int
    shrunk: int
    dropped: int
    shrunk_below: int
    dropped_below: int


def preview_fork(*, session: Session, at: str) -> ForkSizes:
    """
    :raises NotFound: if the session sees no such message
    """
    found = get_found(session, at)
    below, leaves = count_below(session, found)
    on_path = sql.rows(climbs.COMPACTIONS_ON_PATH, session=session.id, leaf=found.id)
    return ForkSizes(
        path=found.depth + 1,
        branches=found.depth + below,
        tree=session.message_count,
        leaves_below=leaves,
        compactions=session.compactions.count(),
        compactions_on_path=len(on_path),
    )


def preview_deletion(*, session: Session, uid: str) -> Deletion:
    """
    :raises NotFound: if the session sees no such message
    """
    found = get_found(session, uid)
    below, leaves = count_below(session, found)
    seen = Q(session=session.id) | Q(id=inherited_child(session, found.id))
    shrunk, dropped, shrunk_below, dropped_below = _touched(session, found)
    return Deletion(
        children=Message.objects.filter(seen, parent=found.id).count(),
        below=below,
        leaves=leaves,
        forks=len(sql.rows(climbs.FORKS_SHARING, message=found.id)),
        shrunk=shrunk,
        dropped=dropped,
        shrunk_below=shrunk_below,
        dropped_below=dropped_below,
    )


def _touched(session: Session, found: Found) -> tuple[int, int, int, int]:
    """Return how many compactions lose an end, and how many all that they cover."""
    ends = Compaction.objects.filter(session=session).values_list("first", "last")
    shrunk = dropped = shrunk_below = dropped_below = 0
    for first, last in ends:
        if first == last == found.id:
            dropped += 1
        elif found.id in (first, last):
            shrunk += 1
        if is_on_path(found.id, first):
            dropped_below += 1
        elif is_on_path(found.id, last):
            shrunk_below += 1
    return shrunk, dropped, shrunk_below, dropped_below
