"""The messages of a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from context_app.loading import find_loads, reclaim
from memoryhub.facade.changes import Change
from memoryhub.facade.context.hosted import HostedContext
from memoryhub.facade.parts import InUse
from memoryhub.facade.storage import (
    UNSET,
    CompactionInfo,
    Hit,
    Message,
    Parent,
    RecentHistory,
    SessionProvider,
    Stored,
)
from memoryhub.facade.storage.drafts import identified
from memoryhub.facade.storage.orm import AgentSessionProvider
from sessions_app.errors import Invalid
from sessions_app.messages import RESERVED_PREFIX
from sessions_app.tokens import compact_json, utf16_length


class Conversation(InUse):
    def append_message(self, message: Message, parent_id: Parent = UNSET) -> str:
        """Add a message, by default after the head, and return its id."""
        return self.append_messages([message], parent_id)[0]

    def append_messages(
        self, messages: Sequence[Message], parent_id: Parent = UNSET
    ) -> list[str]:
        """
        Add messages one after another, and return their ids. Those that are there stay.

        A session that is too long then is compacted, if ``on_compaction`` says how.

        :raises UnknownParent: if there is no such message
        """
        parts = self._parts
        named = [identified(message) for message in messages]
        inserted = _append(parts.storage, named, parent_id)
        self._follow_up(named, inserted)
        return [message["id"] for message in named]

    def upsert_message(self, message: Message, parent_id: Parent = UNSET) -> str:
        """Write over the message of the same id, or add it; return its id."""
        storage = self._parts.storage
        named = identified(message)
        uid: str = named["id"]
        if hasattr(storage, "put_message"):
            if storage.put_message(named, parent_id):
                self._follow_up([named], [True])
            else:
                self._tell(Change("update", named))
        elif storage.get_message(uid) is None:
            self.append_message(named, parent_id)
        else:
            self.update_message(named)
        return uid

    def update_message(self, message: Message) -> None:
        """Write over the message of the same id; where there is none, nothing happens."""
        if self._parts.storage.update_message(message) is not False:
            self._tell(Change("update", message))

    def delete_messages(self, message_ids: Iterable[str]) -> None:
        """Delete messages; what follows one then follows the message before it."""
        message_ids = (
            [message_ids] if isinstance(message_ids, str) else list(message_ids)
        )
        self._parts.storage.delete_messages(message_ids)
        self._tell(Change("delete", message_ids=message_ids))

    def clear_messages(self) -> None:
        """Delete all messages and compactions; the blocks stay."""
        storage, context, _ = self._parts
        storage.clear_messages()
        if isinstance(context, HostedContext):
            context.calls.clear()
        context.renew()
        self._tell(Change("clear"))

    def get_history(self, leaf_id: str | None = None) -> list[Stored]:
        """
        Return the path to a message, by default the head, root first.

        Summaries stand for what they cover, and unloaded skills are taken out.
        """
        history = self._parts.storage.get_history(leaf_id)
        if isinstance(self._parts.storage, AgentSessionProvider):
            return history
        loads = find_loads(history)
        return [dict(message) for message in reclaim(history, loads)]

    def get_recent_history(self, max_bytes: int, min_recent: int = 1) -> RecentHistory:
        """Return the end of the history: so many bytes, or so many messages if those are more."""
        storage = self._parts.storage
        if hasattr(storage, "get_recent_history"):
            return RecentHistory(*storage.get_recent_history(max_bytes, min_recent))
        history = self.get_history()
        size = sum(utf16_length(compact_json(message)) for message in history)
        return RecentHistory(history, truncated=False, total_content_bytes=size)

    def get_message(self, message_id: str) -> Stored | None:
        return self._parts.storage.get_message(message_id)

    def get_latest_leaf(self) -> Stored | None:
        """Return the message that the next one follows."""
        return self._parts.storage.get_latest_leaf()

    def get_branches(self, message_id: str) -> list[Stored]:
        """Return what follows a message, oldest first."""
        return self._parts.storage.get_branches(message_id)

    def get_path_length(self, leaf_id: str | None = None) -> int:
        """Count the messages on a path, those under summaries too."""
        return self._parts.storage.get_path_length(leaf_id)

    def search(self, query: str, limit: int = 20) -> list[Hit]:
        """Search all messages of the session, best first."""
        storage = self._parts.storage
        if not hasattr(storage, "search_messages"):
            raise Invalid("Session provider does not support search")
        found: list[Hit] = storage.search_messages(query, limit)
        return found

    def add_compaction(self, summary: str, from_id: str, to_id: str) -> CompactionInfo:
        """
        Cover the messages from one to another with a summary.

        :raises BadRange: if they are not on one path in order
        :raises Overlap: if another summary is partly covered, or covers all
        """
        return self._parts.storage.add_compaction(summary, from_id, to_id)

    def get_compactions(self) -> list[CompactionInfo]:
        return self._parts.storage.get_compactions()

    def compact(self, leaf_id: str | None = None) -> CompactionInfo | None:
        """
        Have the path to a message summed up, and refresh the prompt.

        By the function of ``on_compaction``, and without one by the server's
        summarizer. None: there is nothing to do. What the function raises is raised.
        """
        made = self._parts.compactor.compact(leaf_id)
        if made is not None:
            self._tell(Change("compact"))
        return made

    def _follow_up(self, messages: Sequence[Stored], inserted: Sequence[bool]) -> None:
        """Do what comes after an append."""
        _, context, compactor = self._parts
        if isinstance(context, HostedContext):
            context.calls.clear()
        if any(inserted) and compactor.compact_if_due():
            self._tell(Change("compact"))
            return
        for message, is_new in zip(messages, inserted, strict=True):
            self._tell(Change("append", message, is_new))


def _append(
    storage: SessionProvider, messages: Sequence[Stored], parent: Parent
) -> list[bool]:
    """Return for each message whether it is new; echoes of summaries are dropped."""
    if hasattr(storage, "append_messages"):
        new: list[bool] = storage.append_messages(messages, parent)
        return new
    inserted = []
    for message in messages:
        if message["id"].startswith(RESERVED_PREFIX):
            inserted.append(False)
            continue
        place = () if parent is UNSET else (parent,)
        inserted.append(storage.append_message(message, *place) is not False)
        parent = message["id"]
    return inserted
