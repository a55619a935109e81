"""A session's messages in this process, gone with it: for tests, and for what is not to stay."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.utils.timezone import now
from uuid_utils.compat import uuid7

from memoryhub.facade.storage import (
    UNSET,
    CompactionInfo,
    Hit,
    Message,
    Parent,
    Stored,
)
from memoryhub.facade.storage.drafts import draft_of
from memoryhub.facade.storage.matching import rank
from memoryhub.facade.storage.nodes import Node, message_of, summary_of
from sessions_app.services.compaction.overlays import BadRange, Overlap, check_summary
from sessions_app.services.writing.conflicts import UnknownParent
from sessions_app.times import isoformat

P = ParamSpec("P")
R = TypeVar("R")


def locked(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], R]:
    """Have a method to itself while it runs."""

    @wraps(method)
    def run(provider: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with provider._lock:
            return method(provider, *args, **kwargs)

    return run


class MemorySessionProvider:
    """The same as ``AgentSessionProvider``, but for the database; for any threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        # Both in the order in which they were made.
        self._nodes: dict[str, Node] = {}
        self._compactions: list[CompactionInfo] = []
        self._head: str | None = None

    @locked
    def get_message(self, message_id: str, /) -> Stored | None:
        node = self._nodes.get(message_id)
        return message_of(node) if node else None

    @locked
    def get_history(self, leaf_id: str | None = None, /) -> list[Stored]:
        """Walk up; where a summary's last message is reached, go on above its first."""
        path = self._path(self._leaf(leaf_id))
        seen: list[Stored] = []
        while path:
            last = path[-1].uid
            covers = [
                each for each in self._compactions if each["to_message_id"] == last
            ]
            if covers:
                first = path.index(self._nodes[covers[-1]["from_message_id"]])
                seen.append(summary_of(covers[-1], path[first:]))
                path = path[:first]
            else:
                seen.append(message_of(path.pop()))
        return seen[::-1]

    @locked
    def get_latest_leaf(self) -> Stored | None:
        return self.get_message(self._head) if self._head else None

    @locked
    def get_branches(self, message_id: str, /) -> list[Stored]:
        return [message_of(node) for node in self._children(message_id)]

    @locked
    def get_path_length(self, leaf_id: str | None = None, /) -> int:
        return len(self._path(self._leaf(leaf_id)))

    @locked
    def append_message(self, message: Message, parent_id: Parent = UNSET, /) -> bool:
        draft = draft_of(message)
        if draft.uid is None:
            draft.identify(str(uuid7()))
        uid = draft.uid or ""
        if draft.is_reserved or uid in self._nodes:
            return False
        parent = self._head if parent_id is UNSET else parent_id
        if parent is not None and parent not in self._nodes:
            raise UnknownParent(f"No message {parent!r} in this session", parent=parent)
        self._nodes[uid] = Node(uid, parent, draft, now())
        self._head = uid
        return True

    @locked
    def update_message(self, message: Message, /) -> bool:
        draft = draft_of(message)
        node = self._nodes.get(draft.uid or "")
        if node is None:
            return False
        node.draft = draft
        return True

    @locked
    def delete_messages(self, message_ids: Sequence[str], /) -> int:
        known = [uid for uid in dict.fromkeys(message_ids) if uid in self._nodes]
        for uid in known:
            self._delete(uid)
        return len(known)

    @locked
    def clear_messages(self) -> None:
        self._nodes.clear()
        self._compactions.clear()
        self._head = None

    @locked
    def add_compaction(
        self, summary: str, from_id: str, to_id: str, /
    ) -> CompactionInfo:
        """
        :raises Invalid: if the summary says nothing
        :raises BadRange: if the ends are not on one path in order
        :raises Overlap: if another is partly covered, or covers all
        """
        check_summary(summary)
        path = [node.uid for node in self._path(to_id)]
        if from_id not in path:
            raise BadRange(f"{from_id!r} is not above {to_id!r} on one path")
        self._check_overlaps(path.index(from_id), len(path) - 1, to_id)
        made = CompactionInfo(
            id=str(uuid7()),
            summary=summary,
            from_message_id=from_id,
            to_message_id=to_id,
            created_at=isoformat(now()),
        )
        self._compactions.append(made)
        return made

    @locked
    def get_compactions(self) -> list[CompactionInfo]:
        return list(self._compactions)

    @locked
    def search_messages(self, query: str, limit: int = 20, /) -> list[Hit]:
        newest_first = list(self._nodes.values())[::-1]
        found = rank(query, newest_first, lambda node: node.draft.text)
        return [
            Hit(
                id=node.uid,
                role=node.draft.role,
                content=node.draft.text,
                created_at=isoformat(node.created_at),
            )
            for node in found[: max(limit, 0)]
        ]

    def _leaf(self, leaf_id: str | None) -> str | None:
        return leaf_id or self._head

    def _path(self, leaf: str | None) -> list[Node]:
        return list(self._upwards(leaf))[::-1]

    def _upwards(self, uid: str | None) -> Iterator[Node]:
        while uid is not None and (node := self._nodes.get(uid)):
            yield node
            uid = node.parent

    def _children(self, uid: str | None) -> list[Node]:
        return [node for node in self._nodes.values() if node.parent == uid]

    def _check_overlaps(self, first: int, last: int, to_id: str) -> None:
        on_head = [node.uid for node in self._path(self._head)]
        path = on_head if to_id in on_head else [node.uid for node in self._path(to_id)]
        at = {uid: number for number, uid in enumerate(path)}
        for other in self._compactions:
            if other["to_message_id"] not in at:
                continue
            start, end = at[other["from_message_id"]], at[other["to_message_id"]]
            apart = end < first or last < start
            if not apart and not (first <= start and end <= last):
                raise Overlap(f"The range overlaps with compaction {other['id']}")

    def _delete(self, uid: str) -> None:
        node = self._nodes[uid]
        self._compactions = [
            shrunk
            for each in self._compactions
            if (shrunk := self._without(each, node)) is not None
        ]
        for child in self._children(uid):
            child.parent = node.parent
        del self._nodes[uid]
        if self._head == uid:
            parents = {each.parent for each in self._nodes.values()}
            leaves = [each for each in self._nodes if each not in parents]
            self._head = leaves[-1] if leaves else None

    def _without(self, compaction: CompactionInfo, node: Node) -> CompactionInfo | None:
        first, last = compaction["from_message_id"], compaction["to_message_id"]
        if first == last == node.uid:
            return None
        if first == node.uid:
            path = [each.uid for each in self._path(last)]
            return {**compaction, "from_message_id": path[path.index(first) + 1]}
        if last == node.uid and node.parent is not None:
            return {**compaction, "to_message_id": node.parent}
        return compaction
