"""One branch of a tree: what it holds, and what would go with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from sessions_app import sql
from sessions_app.errors import Conflict
from sessions_app.models import Compaction, Session
from sessions_app.services.browsing.outlines import Outline, read_outline
from sessions_app.services.browsing.spots import Spot, costs_of, read_spots
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.forest.trees import labels, previews
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.sql import climbs, walks

# Messages whose calls are added up for the branches of a page; beyond, sums would cost
# more than the page.
COUNTED = 4_000


class NoBranch(Conflict):
    """It is no branch any more, or another one than was shown."""


@dataclass(slots=True)
class Branch:
    """
    A branch from its first message to its newest leaf.

    ``going`` and ``leaves`` count what is below its first message, branches of its own
    included; ``parent`` is None for the only branch of a tree.
    """

    first: Spot
    leaf: Spot
    parent: Spot | None
    messages: int
    tokens: int
    cost: int | None
    has_calls: bool
    label: str
    preview: str
    going: int
    leaves: int
    forks: int
    compactions: int
    has_head: bool


def find_branch(*, session: Session, uid: str) -> Branch:
    """
    Return the branch that a message is on: from the nearest fork above to a leaf.

    :raises NotFound: if the session sees no such message
    """
    message = get_place(session, uid).id
    outline = read_outline(session, message)
    siblings = set().union(*outline.forks.values()) if outline.forks else set()
    # The message itself may be the first of a branch.
    first = next((each for each in reversed(outline.path) if each in siblings), None)
    start = outline.path[0] if first is None else first
    leaf = outline.newest[message]
    chain = outline.chain(start, leaf)
    ids = [below for (below,) in sql.rows(_SUBTREE, message=start)]
    going = [each for each in ids if each in outline.parents]
    parent = outline.parents[start] if first is not None else None
    spots = read_spots(each for each in (start, leaf, parent) if each)
    speaker = outline.speaker(chain)
    costs = branch_costs(outline, [start])
    ends = outline.parents.keys() - set(outline.parents.values())
    return Branch(
        first=spots[start],
        leaf=spots[leaf],
        parent=spots[parent] if parent else None,
        messages=len(chain),
        tokens=_tokens(spots[start], spots[leaf]),
        cost=costs.get(start),
        has_calls=start in costs,
        label=labels(session, [leaf]).get(leaf, ""),
        preview=previews([speaker]).get(speaker, ""),
        going=len(going),
        leaves=len(ends.intersection(going)),
        forks=_forks_sharing(session, start),
        compactions=Compaction.objects.filter(
            session=session, first__in=going[:COUNTED]
        ).count(),
        has_head=session.head_id in going,
    )


_SUBTREE = walks.SUBTREE_IDS + "SELECT id FROM subtree"


def _forks_sharing(session: Session, message: int) -> int:
    found = sql.rows(climbs.FORKS_SHARING, message=message)
    return sum(fork != session.id for (fork,) in found)


def _tokens(first: Spot, leaf: Spot) -> int:
    return leaf.path_tokens - first.path_tokens + first.tokens


@transaction.atomic
def delete_branch(*, session: Session, uid: str, expected: int) -> int:
    """
    Delete the branch that begins with a message, and return how many messages.

    ``expected`` is how many the person who confirmed it was told of. Forks keep what
    they had.

    :raises NotFound: if the session sees no such message
    :raises NoBranch: if more or fewer messages would go now
    """
    session = lock_session(session)
    branch = find_branch(session=session, uid=uid)
    if branch.first.uid != uid or branch.parent is None:
        raise NoBranch("This message does not begin a branch")
    if branch.going != expected:
        raise NoBranch(
            f"The branch has {branch.going} messages now, and not {expected}: look again",
            expected=expected,
            messages=branch.going,
        )
    return delete_messages(session=session, uids=[uid], mode="subtree")


def branch_costs(outline: Outline, branches: Sequence[int]) -> Mapping[int, int | None]:
    """Return what the calls on each branch cost; one without calls is not there."""
    chains = {}
    left = COUNTED
    for branch in branches:
        chain = outline.chain(branch, outline.newest[branch])
        left -= len(chain)
        if left < 0:
            break
        chains[branch] = chain
    costs = costs_of([each for chain in chains.values() for each in chain])
    found: dict[int, int | None] = {}
    for branch, chain in chains.items():
        known = [costs[each] for each in chain if each in costs]
        if known:
            priced = [cost for cost in known if cost is not None]
            found[branch] = sum(priced) if priced else None
    return found
