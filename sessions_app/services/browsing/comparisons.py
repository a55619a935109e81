"""Two branches of a tree side by side, from where they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sessions_app.errors import Invalid
from sessions_app.models import Message, Session
from sessions_app.services.browsing.outlines import Outline, read_outline
from sessions_app.services.browsing.siblings import Entry, read_places
from sessions_app.services.browsing.spots import Spot, costs_of, read_spots
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.totals import hidden_tokens
from sessions_app.services.forest.trees import labels, previews

# Messages before the parting that are shown, with so many words.
SHARED = 12
# Messages of a side whose calls are added up.
COUNTED = 20_000


class NothingToCompare(Invalid):
    """The two branches are one."""


@dataclass(slots=True)
class Side:
    """A branch from the parting on; ``cost`` is None where no call has a price."""

    leaf: Spot
    messages: list[int]
    label: str
    preview: str
    tokens: int
    cost: int | None
    has_calls: bool
    milliseconds: int
    is_head: bool

    @property
    def number(self) -> int:
        """Return the number of its first message."""
        return self.leaf.depth + 2 - len(self.messages)


class Shared(NamedTuple):
    """A message that both branches have, by its first words."""

    number: int
    uid: str
    role: str
    words: str


@dataclass(slots=True)
class Comparison:
    """
    ``fork`` is the last message in common; None where the branches share none.

    ``shared`` are the last ones that they share.
    """

    common: int
    fork: Spot | None
    context_tokens: int
    common_cost: int | None
    a: Side
    b: Side
    shared: list[Shared] = field(default_factory=list)


def compare(*, session: Session, a: str | None, b: str | None) -> Comparison:
    """
    Return how two branches differ. A message in their midst stands for its newest leaf.

    Without ``a`` it is the head's branch, without ``b`` the newest other one.

    :raises NotFound: if the session sees no such message
    :raises NothingToCompare: if they are the same, or there is no other
    """
    left = get_place(session, a).id if a else session.head_id
    outline = read_outline(session, left)
    if left is None or left not in outline.parents:
        raise NothingToCompare("There are no messages to compare")
    left = outline.newest[left]
    right = get_place(session, b).id if b else _other(outline, left)
    if right is None:
        raise NothingToCompare("This session has one branch: there is no other")
    right = outline.newest[right]
    if left == right:
        raise NothingToCompare("Both sides are the same branch: choose another for B")
    paths = outline.path_to(left), outline.path_to(right)
    common = _common(*paths)
    fork = paths[0][common - 1] if common else None
    spots = read_spots(
        each
        for path in paths
        for each in (path[-1], *path[max(common - SHARED, 0) : common + 1])
    )
    known = costs_of(paths[0][:common][-COUNTED:])
    priced = [cost for cost in known.values() if cost is not None]
    hidden = hidden_tokens(session.id, fork)
    return Comparison(
        common=common,
        fork=spots[fork] if fork else None,
        context_tokens=spots[fork].path_tokens - hidden if fork else 0,
        common_cost=sum(priced) if priced else None,
        a=_side(session, paths[0][common:], spots, fork),
        b=_side(session, paths[1][common:], spots, fork),
        shared=_shared(outline, paths[0][:common][-SHARED:], spots),
    )


def read_entries(messages: Sequence[int]) -> list[Entry]:
    """Return messages with their bodies, in the order given."""
    places = read_places(messages)
    bodies = dict(Message.objects.filter(id__in=messages).values_list("id", "body"))
    return [Entry(places[each], bodies[each]) for each in messages if each in bodies]


def _other(outline: Outline, left: int) -> int | None:
    return max((leaf for leaf in outline.leaves if leaf != left), default=None)


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    """Return how long the beginning is that two paths share."""
    shorter = min(len(left), len(right))
    for at in range(shorter):
        if left[at] != right[at]:
            return at
    return shorter


def _shared(
    outline: Outline, messages: Sequence[int], spots: dict[int, Spot]
) -> list[Shared]:
    words = previews(messages)
    return [
        Shared(
            spots[each].depth + 1,
            spots[each].uid,
            outline.roles[each],
            words.get(each, ""),
        )
        for each in messages
        if each in spots
    ]


def _side(
    session: Session, messages: list[int], spots: dict[int, Spot], fork: int | None
) -> Side:
    leaf = spots[messages[-1]]
    shared = spots[fork].path_tokens if fork else 0
    costs = costs_of(messages[:COUNTED])
    priced = [cost for cost in costs.values() if cost is not None]
    took = leaf.created_at - spots[messages[0]].created_at
    return Side(
        leaf=leaf,
        messages=messages,
        label=labels(session, [leaf.id]).get(leaf.id, ""),
        preview=previews([messages[0]]).get(messages[0], ""),
        tokens=leaf.path_tokens - shared,
        cost=sum(priced) if priced else None,
        has_calls=bool(costs),
        milliseconds=round(took.total_seconds() * 1000),
        is_head=leaf.id == session.head_id,
    )
