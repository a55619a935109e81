"""The tree of a session as a rail: a straight path, with branches that hang off it."""

from __future__ import annotations

from sessions_app.dash.session.rail.dressing import dress
from sessions_app.dash.session.rail.shown import LONGEST, ROWS, Rail, place_in
from sessions_app.dash.session.rail.stops import shown_of
from sessions_app.dash.session.rail.windows import Asked, fill
from sessions_app.models import Session
from sessions_app.services.browsing.outlines import read_outline
from sessions_app.services.browsing.spots import all_labels
from sessions_app.services.forest.finding import find_place, get_place

__all__ = ["Rail", "rail_of"]


def rail_of(
    session: Session,
    leaf: str | None,
    only: str | None,
    *,
    selected: str | None = None,
    before: str | int | None = None,
    opened: str | None = None,
    limit: int = ROWS,
    longest: int = LONGEST,
) -> Rail:
    """
    Return what ``session/_rail.html`` shows of the path to ``leaf``.

    ``before`` is a place on the path: the rows end above it. Without it they end with
    the leaf, or lie about the message ``selected``. ``opened`` is a place whose branches
    are all shown.

    :raises NotFound: if the session sees no such leaf
    """
    shown = shown_of(only)
    rail = Rail(session, leaf, shown, limit=limit, selected=selected or "")
    place = get_place(session, leaf) if leaf else None
    if place is None:
        return rail
    outline = rail.outline = read_outline(session, place.id)
    labels = all_labels(session)
    if shown == "labelled":
        outline.keep([*labels, *([session.head_id] if session.head_id else [])])
    chosen = find_place(session, selected) if selected else None
    at = outline.depths.get(chosen.id, -1) if chosen else -1
    is_there = chosen is not None and outline.path[at : at + 1] == [chosen.id]
    asked = Asked(
        selected=at if is_there else None,
        before=place_in(before),
        opened=place_in(opened),
    )
    fill(rail, outline, labels, asked)
    dress(rail.root + rail.rows + rail.end, rail, labels, longest)
    return rail
