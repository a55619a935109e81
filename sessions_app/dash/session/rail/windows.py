"""Which rows of a long path are shown: at its leaf, or about what is selected."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from sessions_app.dash.session.rail.row import Row
from sessions_app.dash.session.rail.rows import Cover, rows_of
from sessions_app.dash.session.rail.shown import Rail
from sessions_app.dash.session.rail.stops import stops_of
from sessions_app.models import Session
from sessions_app.services.browsing.outlines import Outline
from sessions_app.services.forest.totals import active_on_path

# Rows kept in view below the message that is selected.
BELOW = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """
    What is asked for: rows about a message, by its place, or above a place.

    ``opened`` is a place whose branches are all shown.
    """

    selected: int | None = None
    before: int | None = None
    opened: int | None = None


def fill(rail: Rail, outline: Outline, labels: dict[int, str], asked: Asked) -> None:
    """Choose the rows of a rail, and count what stands above and below them."""
    path = outline.path
    message = path[asked.selected] if asked.selected is not None else None
    stops = stops_of(outline, rail.shown, labels, message)
    first, last = _window(stops, asked, rail.limit)
    following = stops[last] if last < len(stops) else len(path)
    head = rail.session.head_id
    rows = rows_of(
        outline,
        stops[first:last],
        covers_of(rail.session, outline),
        end=following,
        selected=message,
        head=head,
        opened=asked.opened,
    )
    start = max(0, len(rows) - rail.limit) if asked.opened is None else 0
    # A row and what hangs off it stay together.
    while start > 0 and rows[start].at == rows[start - 1].at:
        start -= 1
    rail.rows = rows[start:]
    rail.is_window = asked.before is not None
    if rail.rows[:1] and (rail.rows[0].at or rail.is_window):
        # The root stands above all others.
        rail.root = _single(outline, 0, message, head)
        if rail.rows[0].at == 0:
            rail.rows = rail.rows[1:]
    if rail.rows and rail.rows[0].at:
        rail.before = rail.rows[0].at
        rail.older = rail.before - 1
        above = [0, *path[: rail.before + 1]]
        rail.older_branches = len(outline.hanging(above))
    if following < len(path) and not rail.is_window:
        rail.newer = len(path) - 1 - following
        rail.end = _single(outline, len(path) - 1, message, head)


def _single(
    outline: Outline, at: int, selected: int | None, head: int | None
) -> list[Row]:
    return rows_of(outline, [at], (), end=at + 1, selected=selected, head=head)[:1]


def _window(stops: list[int], asked: Asked, limit: int) -> tuple[int, int]:
    """Return which of the stops to look at: no more than there are rows."""
    last = len(stops)
    if asked.before is not None:
        last = bisect_left(stops, asked.before)
        return max(0, last - limit), last
    at = asked.opened if asked.opened is not None else asked.selected
    if at is not None:
        stop = bisect_left(stops, at)
        if stop < last - limit + BELOW:
            last = min(last, stop + BELOW)
    return max(0, last - limit), last


def covers_of(session: Session, outline: Outline) -> list[Cover]:
    """Return the stretches that summaries stand for; of two in each other the wider."""
    found: list[Cover] = []
    if not outline.path:
        return found
    for compaction in active_on_path(session.id, outline.path[-1]):
        first, last = compaction.first.depth, compaction.last.depth
        if not found or last < found[-1].first:
            found.append(Cover(first, last, compaction.tokens_after))
    return found
