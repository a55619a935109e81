"""A tree as a path and what hangs off it, without any text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sessions_app import sql
from sessions_app.services.forest.finding import Tree
from sessions_app.sql import outlines


@dataclass(slots=True)
class Outline:
    """
    A session's tree by primary keys: ``path`` is one way through it, root first.

    A branch is named by its first message. It ends with the newest of all leaves below
    that, and what hangs off it on the way there are branches of their own.
    """

    path: list[int]
    parents: dict[int, int | None]
    depths: dict[int, int]
    roles: dict[int, str]
    # What follows a message, where that is more than one; roots follow 0.
    forks: dict[int, list[int]]
    # The newest leaf below each message.
    newest: dict[int, int]
    # How many leaves hang off the branch that a leaf ends, itself included.
    leaves: dict[int, int]
    # Where only some branches are asked for: what is on the way to them.
    kept: set[int] | None = None

    def length(self, branch: int) -> int:
        return self.depths[self.newest[branch]] - self.depths[branch] + 1

    def path_to(self, leaf: int) -> list[int]:
        """Return the way from the root to a message."""
        return _path(self.parents, leaf)

    def chain(self, first: int, last: int) -> list[int]:
        """Return the messages from one down to another below it, both included."""
        found = [last]
        while found[-1] != first:
            above = self.parents[found[-1]]
            if above is None:
                break
            found.append(above)
        return found[::-1]

    def hanging(self, chain: Sequence[int]) -> list[int]:
        """Return the branches that leave a chain before its end, the newest first."""
        found = [
            child
            for message, following in zip(chain, chain[1:], strict=False)
            for child in self.forks.get(message, ())
            if child != following and (self.kept is None or child in self.kept)
        ]
        return sorted(found, key=lambda branch: -self.newest[branch])

    def keep(self, messages: Iterable[int]) -> None:
        """Leave only the branches that have one of these messages."""
        self.kept = set()
        for each in messages:
            message: int | None = each
            while message in self.parents and message not in self.kept:
                self.kept.add(message)
                message = self.parents[message]

    def speaker(self, chain: Sequence[int]) -> int:
        """Return the first message of a chain that is no tool's answer."""
        spoken = (message for message in chain if self.roles[message] != "tool")
        return next(spoken, chain[0])

    def below(self, branch: int) -> list[int]:
        """Return the branches that hang off a branch, the newest first."""
        return self.hanging(self.chain(branch, self.newest[branch]))


def read_outline(session: Tree, leaf: int | None) -> Outline:
    """Return a session's whole tree, with the path that ends with ``leaf``."""
    query, params = outlines.OWN, {"session": session.id}
    if session.fork_point_id is not None:
        query = outlines.WITH_INHERITED
        params["point"] = session.fork_point_id
    ids, above, depths, roles = sql.columns(query, 4, **params)
    parents: dict[int, int | None] = dict(zip(ids, above, strict=True))
    forks: dict[int, list[int]] = {
        parent or 0: [] for parent, count in Counter(above).items() if count > 1
    }
    if forks:
        for id_, parent in zip(ids, above, strict=True):
            if (parent or 0) in forks:
                forks[parent or 0].append(id_)
    newest, leaves = _ends(parents)
    return Outline(
        path=_path(parents, leaf),
        parents=parents,
        depths=dict(zip(ids, depths, strict=True)),
        roles=dict(zip(ids, roles, strict=True)),
        forks=forks,
        newest=newest,
        leaves=leaves,
    )


def _path(parents: dict[int, int | None], leaf: int | None) -> list[int]:
    path = []
    while leaf is not None and leaf in parents:
        path.append(leaf)
        leaf = parents[leaf]
    return path[::-1]


def _ends(parents: dict[int, int | None]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the newest leaf below each message, and what hangs off the way to each."""
    newest: dict[int, int] = {}
    hosts: list[tuple[int, int | None]] = []
    # Newer leaves come first, so what a climb meets has a newer one below it already.
    for leaf in sorted(parents.keys() - set(parents.values()), reverse=True):
        message: int | None = leaf
        while message is not None and message not in newest:
            newest[message] = leaf
            message = parents.get(message)
        hosts.append((leaf, None if message is None else newest[message]))
    leaves = dict.fromkeys((leaf for leaf, _ in hosts), 1)
    for leaf, host in reversed(hosts):
        if host is not None:
            leaves[host] += leaves[leaf]
    return newest, leaves
