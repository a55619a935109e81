"""
A path cut into what a page can show: stretches between compactions, windows in them.

Compactions that a walk from the leaf would meet divide the path; each piece is a
``Segment``. A window is a few messages of one segment, so it never crosses a band.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sessions_app import sql
from sessions_app.models import Compaction
from sessions_app.services.browsing.siblings import Entry, read_places, read_siblings
from sessions_app.services.forest.finding import Found, Tree, get_place, is_on_path
from sessions_app.services.forest.history import Changing, NotOnPath, read_history
from sessions_app.services.forest.totals import active_on_path
from sessions_app.sql import windows

LIMIT = 50


@dataclass(frozen=True, slots=True)
class Segment:
    """Messages of a path from one depth to another, both included."""

    first: int
    last: int
    compaction: Compaction | None = None
    # The compaction above it, and the one below.
    above: Compaction | None = None
    below: Compaction | None = None

    def holds(self, depth: int) -> bool:
        return self.first <= depth <= self.last


@dataclass(slots=True)
class Path:
    """A path and what divides it, root first."""

    leaf: Found
    segments: list[Segment]

    def at(self, depth: int) -> Segment:
        return next(each for each in self.segments if each.holds(depth))


@dataclass(slots=True)
class Window:
    """Messages of a segment, root first, and what else follows their parents."""

    segment: Segment
    entries: list[Entry]
    siblings: dict[int, list[str]] = field(default_factory=dict)


def read_path(session: Tree, leaf: str) -> Path:
    """
    Return how compactions divide the path to a leaf.

    :raises NotFound: if the session sees no such message
    """
    found = get_place(session, leaf)
    covers = _widest(active_on_path(session.id, found.id))
    return Path(found, list(_segments(covers, found.depth)))


def read_window(
    session: Tree, path: Path, *, first: int, last: int, segment: Segment
) -> Window:
    """
    Return the messages from one depth to another, as far as the segment has them.

    :raises Changing: if they are moved or deleted meanwhile
    """
    first, last = max(first, segment.first), min(last, segment.last)
    if last < first:
        return Window(segment, [])
    bottom = path.leaf.id if last == path.leaf.depth else _at(path.leaf.id, last)
    history = read_history(session, leaf=_uid(bottom), limit=last - first + 1, raw=True)
    places = read_places([message for message, _, _ in history.rows])
    try:
        entries = [Entry(places[row[0]], row[2]) for row in history.rows]
    except KeyError:
        raise Changing("The session is being changed: try again") from None
    return Window(segment, entries, read_siblings(session, entries))


def depth_on(session: Tree, path: Path, uid: str) -> int:
    """
    Return the depth of a message on a path.

    :raises NotFound: if the session sees no such message
    :raises NotOnPath: if it is not on the path
    """
    place = get_place(session, uid)
    if not is_on_path(place.id, path.leaf.id):
        raise NotOnPath(f"The message {uid!r} is not on this branch", id=uid)
    return place.depth


def leaf_for(session: Tree, uid: str, leaf: str) -> str:
    """
    Return the leaf of a branch that a message is on: the one given, if it is.

    Else it is the newest leaf below the message.

    :raises NotFound: if the session sees no such message
    """
    place = get_place(session, uid)
    end = get_place(session, leaf)
    return leaf if is_on_path(place.id, end.id) else newest_leaf_below(session, place)


def newest_leaf_below(session: Tree, place: Found) -> str:
    """Return the newest leaf of the branches that go on from a message, or itself."""
    row = sql.first(
        windows.NEWEST_LEAF_BELOW,
        session=session.id,
        message=place.id,
        point=session.fork_point_id,
    )
    return row[0] if row else place.uid


def count_below(session: Tree, place: Found) -> tuple[int, int]:
    """Return how many messages there are from one on down, and on how many branches."""
    messages, leaves = sql.one(
        windows.COUNT_BELOW,
        session=session.id,
        message=place.id,
        point=session.fork_point_id,
    )
    return messages, leaves


def _at(message: int, depth: int) -> int:
    row = sql.first(windows.ANCESTOR_AT, message=message, depth=depth)
    if row is None:
        raise Changing("The session is being changed: try again")
    found: int = row[0]
    return found


def _uid(message: int) -> str:
    return read_places([message])[message].uid


def _widest(lowest_first: Iterable[Compaction]) -> list[Compaction]:
    """Return those that a walk from the leaf meets, root first."""
    met: list[Compaction] = []
    for compaction in lowest_first:
        if not met or compaction.last_id < met[-1].first_id:
            met.append(compaction)
    return met[::-1]


def _segments(covers: Sequence[Compaction], depth: int) -> Iterable[Segment]:
    following = 0
    above: Compaction | None = None
    for cover in covers:
        first, last = cover.first.depth, cover.last.depth
        if first > following:
            yield Segment(following, first - 1, above=above, below=cover)
        yield Segment(first, last, cover, above=above)
        following, above = last + 1, cover
    if following <= depth:
        yield Segment(following, depth, above=above)
