"""Putting what follows after what it follows, whatever a file says."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Complain = Callable[[str, str], None]


def parents_first(parents: dict[str, str | None], complain: Complain) -> Iterator[str]:
    """
    Yield all ids, each after its parent, and otherwise in the order given.

    ``parents`` is mended on the way. A parent that is not there is replaced by the id
    before in the order, so that one lost line does not cut a conversation in two; a
    circle is opened by making one of its ids a root. ``complain(id, reason)`` is told.
    """
    before: dict[str, str | None] = dict(zip(parents, [None, *parents], strict=False))
    placed: set[str] = set()
    for uid in parents:
        trail: dict[str, None] = {}
        at: str | None = uid
        while at is not None and at not in placed:
            if at in trail:
                complain(at, "follows itself: made the beginning of a branch")
                parents[at] = None
                at = uid
                trail.clear()
                continue
            trail[at] = None
            parent = parents[at]
            if parent is not None and parent not in parents:
                parents[at] = before[at]
                place = f"put after {before[at]}" if before[at] else "made the root"
                complain(at, f"its parent {parent} is not there: {place}")
            at = parents[at]
        yield from reversed(trail)
        placed.update(trail)
