"""Messages of a path as a page lists them, and what else follows their parents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sessions_app import sql
from sessions_app.services.forest.finding import Tree
from sessions_app.services.forest.trees import inherited_child
from sessions_app.sql import windows


class Place(NamedTuple):
    """A message without its body; ``created_at`` is in milliseconds."""

    id: int
    uid: str
    parent_id: int | None
    role: str
    depth: int
    seq: int
    tokens: int
    path_tokens: int
    created_at: int


class Entry(NamedTuple):
    place: Place
    body: str


def read_places(ids: Sequence[int]) -> dict[int, Place]:
    if not ids:
        return {}
    places, params = _listed("id", ids)
    rows = sql.rows(windows.PLACES.format(places), **params)
    return {row[0]: Place(*row) for row in rows}


def read_siblings(session: Tree, entries: Sequence[Entry]) -> dict[int, list[str]]:
    """
    Return the ids of all that follows a message's parent, where there are several.

    It takes one statement, and one more where a root, or a fork's own first message,
    is among them.
    """
    places = [entry.place for entry in entries]
    parents = [place.parent_id for place in places if place.parent_id is not None]
    rows: list[sql.Row] = []
    if parents:
        shown = [place.id for place in places]
        rows += _following(session, parents, [*shown, *_branching(session, places)])
    if places and places[0].parent_id is None:
        rows += sql.rows(windows.ROOTS, session=session.id)
    following: dict[int | None, list[str]] = {}
    for _, uid, parent in rows:
        following.setdefault(parent, []).append(uid)
    return {
        place.id: following[place.parent_id]
        for place in places
        if len(following.get(place.parent_id, ())) > 1
    }


def _following(
    session: Tree, parents: Sequence[int], seen: Sequence[int]
) -> list[sql.Row]:
    above, params = _listed("parent", parents)
    shown, more = _listed("message", seen)
    query = windows.SIBLINGS.format(parents=above, messages=shown)
    return sql.rows(query, session=session.id, **params, **more)


def _branching(session: Tree, places: Sequence[Place]) -> list[int]:
    """Return what a fork inherits where its own messages leave the path it shares."""
    point = session.fork_point_id
    if point is None:
        return []
    own = [place for place in places if place.id > point]
    if not own or own[0].parent_id is None or own[0].parent_id >= point:
        return []
    child = inherited_child(session, own[0].parent_id)
    return [child] if child else []


def _listed(name: str, values: Sequence[int]) -> tuple[str, dict[str, int]]:
    params = {f"{name}{number}": value for number, value in enumerate(values)}
    return ", ".join(f"%({each})s" for each in params), params
