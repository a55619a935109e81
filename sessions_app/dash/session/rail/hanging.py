"""Branches that are asked for: those that leave a stretch of the tree."""

from __future__ import annotations

from sessions_app.dash.session.rail.branches import branch_rows
from sessions_app.dash.session.rail.dressing import dress
from sessions_app.dash.session.rail.row import Row
from sessions_app.dash.session.rail.shown import LONGEST, Rail, place_in
from sessions_app.dash.session.rail.stops import shown_of
from sessions_app.errors import Invalid
from sessions_app.models import Session
from sessions_app.services.browsing.outlines import read_outline
from sessions_app.services.browsing.spots import all_labels
from sessions_app.services.forest.finding import find_place, get_place

# As far as rows are indented.
DEEPEST = 3


class NotOneBranch(Invalid):
    """It names no branch."""


def hanging_rows(
    session: Session,
    leaf: str | None,
    only: str | None,
    *,
    first: str,
    last: str,
    level: str | None = None,
    under: str | None = None,
) -> list[Row]:
    """
    Return the branches that leave the stretch between two messages.

    ``under`` is the leaf of the last one that was shown before.

    :raises NotFound: if the session sees no such message
    :raises Invalid: if the messages are not on one path
    """
    found = [get_place(session, uid).id for uid in (first, last)]
    after = get_place(session, under).id if under else None
    end = find_place(session, leaf) if leaf else None
    outline = read_outline(session, end.id if end else None)
    labels = all_labels(session)
    shown = shown_of(only)
    if shown == "labelled":
        outline.keep(labels)
    chain = outline.chain(*found)
    if chain[0] != found[0]:
        raise NotOneBranch("These messages are not on one branch", id=last)
    depth = min(max(place_in(level) or 1, 1), DEEPEST)
    rows = branch_rows(
        outline,
        chain,
        at=outline.depths[chain[0]],
        head=session.head_id,
        level=depth,
        under=after,
        is_root=depth == 1 and outline.depths[chain[0]] == 0,
    )
    dress(rows, Rail(session, leaf, shown), labels, LONGEST)
    # The trunk goes on beside what hangs off it, but not below its end.
    if outline.path and chain[0] == outline.path[-1]:
        for row in rows:
            row.line = "none"
    return rows
