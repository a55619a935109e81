"""
A session as a plain tree in memory, which knows nothing of how ours are stored.

A fork is a deep copy; what compactions cover is a list; and nothing is ever counted
but by counting.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field

from sessions_app.messages import Draft, summary_tokens


@dataclass
class Node:
    uid: str
    parent: str | None
    draft: Draft


@dataclass
class Cover:
    """A compaction, with the ids of all that it covers, root first."""

    uid: str
    covered: list[str]
    summary: str
    active: bool = True


@dataclass
class Tree:
    """``nodes`` and ``covers`` stand in the order in which they were made."""

    nodes: dict[str, Node] = field(default_factory=dict)
    head: str | None = None
    covers: list[Cover] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    usage: list[str | None] = field(default_factory=list)

    # Reading

    def path(self, leaf: str | None) -> list[str]:
        path = []
        while leaf is not None:
            path.append(leaf)
            leaf = self.nodes[leaf].parent
        return path[::-1]

    def children(self, uid: str | None) -> list[str]:
        return [node.uid for node in self.nodes.values() if node.parent == uid]

    def leaves(self) -> list[str]:
        return [uid for uid in reversed(self.nodes) if not self.children(uid)]

    def below(self, uid: str) -> list[str]:
        return [each for each in self.nodes if uid in self.path(each)]

    def visible(self, leaf: str | None) -> list[str | Cover]:
        steps: list[str | Cover] = []
        while leaf is not None:
            cover = next(
                (
                    c
                    for c in reversed(self.covers)
                    if c.active and c.covered[-1] == leaf
                ),
                None,
            )
            steps.append(cover or leaf)
            leaf = self.nodes[cover.covered[0] if cover else leaf].parent
        return steps[::-1]

    def tokens(self, leaf: str | None) -> int:
        return sum(
            summary_tokens(step.summary)
            if isinstance(step, Cover)
            else self.nodes[step].draft.tokens
            for step in self.visible(leaf)
        )

    def runs(self) -> Iterator[tuple[str, str, str | None, int, int]]:
        for uid, node in self.nodes.items():
            if node.parent is not None and len(self.children(node.parent)) == 1:
                continue
            last, length = uid, 1
            while len(below := self.children(last)) == 1:
                last, length = below[0], length + 1
            yield uid, last, node.parent, length, len(below)

    def place(self, uid: str) -> str | None:
        """Return the message that a place in a history stands for."""
        for cover in self.covers:
            if uid == f"compaction_{cover.uid}":
                return cover.covered[-1]
        return uid if uid in self.nodes else None

    def refuses(self, covered: list[str], again: Cover | None = None) -> bool:
        """Say whether a range overlaps with an active compaction of its path."""
        path = self.path(self.head)
        if covered[-1] not in path:
            path = self.path(covered[-1])
        for other in self.covers:
            if not other.active or other is again or other.covered[-1] not in path:
                continue
            meets = set(covered) & set(other.covered)
            holds = set(covered) >= set(other.covered)
            shadowed = (
                again is not None
                and other.covered[-1] == covered[-1]
                and self.covers.index(again) < self.covers.index(other)
            )
            if meets and (not holds or shadowed):
                return True
        return False

    # Writing

    def add(self, draft: Draft, parent: str | None) -> str:
        assert draft.uid
        self.nodes[draft.uid] = Node(draft.uid, parent, draft)
        return draft.uid

    def fork(self, at: str | None) -> Tree:
        path = self.path(at)
        copy = deepcopy(self)
        return Tree(
            nodes={uid: copy.nodes[uid] for uid in path},
            head=at,
            covers=[cover for cover in copy.covers if cover.covered[-1] in path],
            labels={uid: text for uid, text in copy.labels.items() if uid in path},
        )

    def delete(self, uid: str, mode: str) -> int:
        gone = self.below(uid) if mode == "subtree" else [uid]
        for child in self.children(uid):
            self.nodes[child].parent = self.nodes[uid].parent
        for each in gone:
            del self.nodes[each]
            self.labels.pop(each, None)
        for cover in self.covers:
            cover.covered = [each for each in cover.covered if each not in gone]
        self.covers = [cover for cover in self.covers if cover.covered]
        self.usage = [None if each in gone else each for each in self.usage]
        if self.head in gone:
            self.head = next(iter(self.leaves()), None)
        return len(gone)

    def clear(self) -> int:
        count = len(self.nodes)
        self.nodes, self.head, self.covers, self.labels = {}, None, [], {}
        self.usage = [None for _ in self.usage]
        return count
