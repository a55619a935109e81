"""Which messages of a path the rail shows a row for."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heappush
from typing import Literal

from sessions_app.services.browsing.outlines import Outline

Shown = Literal["no_tools", "user", "labelled", "all"]
# What a person reads in the selection.
SHOWN: dict[Shown, str] = {
    "no_tools": "No tools",
    "user": "User only",
    "labelled": "Labelled",
    "all": "All",
}

# A path with no more rows than this is shown as it is; a longer one by what the user
# said at even distances, beside what must be there.
LANDMARKS = 14


def shown_of(wanted: str | None) -> Shown:
    for shown in SHOWN:
        if shown == wanted:
            return shown
    return "no_tools"


def stops_of(
    outline: Outline, shown: Shown, labelled: Collection[int], selected: int | None
) -> list[int]:
    """Return the places in the path that have a row, from the root on."""
    path, roles = outline.path, outline.roles
    if not path:
        return []
    ends = {0, len(path) - 1}
    if shown == "all":
        return list(range(len(path)))
    chosen = {at for at, message in enumerate(path) if message == selected} | ends
    if labelled:
        chosen |= {at for at, message in enumerate(path) if message in labelled}
    if shown == "labelled":
        return sorted(chosen)
    said = [at for at, message in enumerate(path) if roles[message] == "user"]
    if shown == "user":
        return sorted(chosen.union(said))
    chosen |= _fork_points(outline)
    spoken = (at for at, message in enumerate(path) if roles[message] != "tool")
    if len(path) <= 4 * LANDMARKS:
        short = list(spoken)
        if len(chosen.union(short)) <= LANDMARKS:
            return sorted(chosen.union(short))
    return _with_landmarks(chosen, said)


def _fork_points(outline: Outline) -> set[int]:
    """Return where branches leave; one after a tool's answer stands at what it answers."""
    path, found = outline.path, set()
    for message in outline.forks:
        at = outline.depths.get(message, -1)
        if not 0 <= at < len(path) - 1 or path[at] != message:
            continue
        while at and outline.roles[path[at]] == "tool":
            at -= 1
        found.add(at)
    return found


def _with_landmarks(chosen: Iterable[int], said: Sequence[int]) -> list[int]:
    """Break the longest runs by something that the user said about their middle."""
    stops = sorted(chosen)
    gaps: list[tuple[int, int, int]] = []
    for above, below in zip(stops, stops[1:], strict=False):
        heappush(gaps, (above - below, above, below))
    while gaps and len(stops) < LANDMARKS:
        _, above, below = heappop(gaps)
        within = said[bisect_left(said, above + 1) : bisect_left(said, below)]
        if not within:
            continue
        middle = (above + below) / 2
        at = min(within, key=lambda each: abs(each - middle))
        insort(stops, at)
        heappush(gaps, (above - at, above, at))
        heappush(gaps, (at - below, at, below))
    return stops
