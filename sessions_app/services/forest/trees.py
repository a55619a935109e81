"""A session's tree as a whole: its leaves, its branches, its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from django.db.models.functions import Left

from sessions_app import sql
from sessions_app.messages import preview
from sessions_app.models import Label, SearchDocument, Session
from sessions_app.services.forest.finding import Tree, get_found, is_on_path
from sessions_app.sql import climbs, trees

TreeFilter = Literal["all", "no_tools", "user", "labelled"]

# How much of a message's text is read for a preview, in characters.
PREVIEWED = 400


class Node(NamedTuple):
    """A message without its body."""

    id: int
    parent_id: int | None
    uid: str
    role: str
    depth: int
    seq: int
    created_at: int


@dataclass(slots=True)
class Run:
    """
    Messages that follow one another with no branch between them.

    ``parent`` is what ``first`` follows, and ``children`` counts what follows ``last``.
    """

    first: Node
    last: Node
    parent: str | None
    length: int
    children: int


def children(session: Tree, uid: str) -> list[str]:
    """
    Return the bodies of what follows a message, oldest first.

    :raises NotFound: if the session sees no such message
    """
    found = get_found(session, uid)
    inherited = inherited_child(session, found.id)
    rows = sql.rows(
        trees.CHILDREN, session=session.id, message=found.id, inherited=inherited
    )
    return [body for (body,) in rows]


def inherited_child(session: Tree, message: int) -> int | None:
    """Return what follows an inherited message on the path to the fork point."""
    point = session.fork_point_id
    if point is None or message >= point or not is_on_path(message, point):
        return None
    child: int = sql.one(climbs.CHILD_TOWARDS, message=message, descendant=point)[0]
    return child


def leaves(session: Tree, *, before: int | None, limit: int) -> list[Node]:
    """
    Return the messages that nothing follows, newest first, one more than ``limit``.

    ``before`` is a seq: only what is older is returned.
    """
    rows = sql.rows(
        trees.LEAVES,
        session=session.id,
        before=2**62 if before is None else before,
        limit=limit + 1,
    )
    found = [Node(*row) for row in rows]
    point = session.fork_point_id
    if len(found) <= limit and point is not None:
        (node,) = (Node(*row) for row in sql.rows(trees.NODE, message=point))
        untouched = sql.first(trees.REPLY, session=session.id, message=point) is None
        if untouched and (before is None or node.seq < before):
            found.append(node)
    return found


def count_branches(session: Session) -> int:
    """Return how many leaves the tree of a session has, without looking where it is a line."""
    own_path = session.head.depth + 1 if session.head else 0
    point = session.fork_point
    if point is None and session.message_count <= own_path:
        return min(own_path, 1)
    (count,) = sql.one(trees.COUNT_LEAVES, session=session.id)
    if point is not None and not sql.first(
        trees.REPLY, session=session.id, message=point.id
    ):
        count += 1
    return int(count)


def runs(session: Tree, only: TreeFilter = "all") -> list[Run]:
    """
    Return the tree with its unbranched runs as one item each, in the order of writing.

    A filter leaves messages out, and what follows them then follows what they
    followed. The whole tree is looked at, but not its bodies.
    """
    nodes = _filtered(session, only)
    known = {node.id: node for node in nodes}
    replies = Counter(node.parent_id for node in nodes if node.parent_id)
    open_runs: dict[int, Run] = {}
    found: list[Run] = []
    for node in nodes:
        parent = known.get(node.parent_id or 0)
        if parent and replies[parent.id] == 1:
            run = open_runs.pop(parent.id)
            run.last, run.children = node, replies[node.id]
            run.length += 1
        else:
            run = Run(node, node, parent.uid if parent else None, 1, replies[node.id])
            found.append(run)
        open_runs[node.id] = run
    return found


def _filtered(session: Tree, only: TreeFilter) -> list[Node]:
    """Return the nodes that a filter leaves, each under the nearest one above that is."""
    rows = sql.rows(trees.NODES, session=session.id)
    nodes = sorted(Node(*row) for row in rows)
    if only == "all":
        return nodes
    labelled = set(
        Label.objects.filter(session=session.id).values_list("message", flat=True)
    )
    standing: dict[int | None, int | None] = {None: None}
    kept = []
    for node in nodes:
        above = standing[node.parent_id]
        if _passes(node, only, labelled):
            kept.append(node._replace(parent_id=above))
            above = node.id
        standing[node.id] = above
    return kept


def _passes(node: Node, only: TreeFilter, labelled: set[int]) -> bool:
    if only == "labelled":
        return node.id in labelled
    return node.role == "user" if only == "user" else node.role != "tool"


def previews(messages: Sequence[int]) -> dict[int, str]:
    """Return the first words of messages, by their primary keys."""
    documents = SearchDocument.objects.filter(
        kind=SearchDocument.Kind.MESSAGE, ref__in=messages
    ).values_list("ref", Left("text", PREVIEWED))
    return {ref: preview(text) for ref, text in documents}


def labels(session: Tree, messages: Sequence[int]) -> dict[int, str]:
    """Return the names that a session gives to messages, by their primary keys."""
    named = Label.objects.filter(session=session.id, message__in=messages)
    return dict(named.values_list("message", "text"))
