"""The messages of a session in the database: the storage, if nothing else is said."""

from __future__ import annotations

from collections.abc import Sequence

from context_app.services.skills import reclaimed
from memoryhub.facade.storage import (
    DEFAULT_SESSION,
    UNSET,
    CompactionInfo,
    Hit,
    Message,
    Parent,
    RecentHistory,
    Stored,
)
from memoryhub.facade.storage.drafts import draft_of
from memoryhub.facade.storage.recent import recent_history
from sessions_app.errors import NotFound
from sessions_app.messages import check_name, parse_body
from sessions_app.models import Agent, Compaction, Session
from sessions_app.models import Message as MessageRow
from sessions_app.search import Scope
from sessions_app.services.compaction import overlays
from sessions_app.services.forest.creating import SessionExists
from sessions_app.services.forest.finding import find
from sessions_app.services.forest.history import read_history
from sessions_app.services.forest.trees import children
from sessions_app.services.registry import sessions
from sessions_app.services.registry.agents import get_or_create_agent
from sessions_app.services.searching import find_messages
from sessions_app.services.writing import deleting, editing
from sessions_app.services.writing.appending import append_messages
from sessions_app.times import isoformat


class AgentSessionProvider:
    """A session of an agent, by its id; both are made at first use if need be."""

    def __init__(
        self, agent: str | Agent = Agent.DEFAULT, session_id: str = DEFAULT_SESSION
    ) -> None:
        self.agent = agent
        self.session_id = session_id
        self._pk: int | None = None

    @property
    def row(self) -> Session:
        """
        Return the session as it stands now.

        :raises NotFound: if it was deleted since its first use
        """
        if self._pk is None:
            row = self._get_or_make()
            self._pk = row.id
            return row
        rows = Session.objects.select_related("agent").filter(trashed_at=None)
        found = rows.filter(id=self._pk).first()
        if found is None:
            raise NotFound(f"No session {self.session_id!r}: it was deleted")
        return found

    def _get_or_make(self) -> Session:
        check_name(self.session_id, "session_id", 200)
        agent = self.agent
        if isinstance(agent, str):
            agent = get_or_create_agent(agent)
        ours = Session.objects.select_related("agent").filter(
            agent=agent, key=self.session_id
        )
        found = ours.living().first()
        if found is not None:
            return found
        try:
            return sessions.make_session(agent=agent, key=self.session_id)
        except SessionExists:
            # Somebody else made it, just now.
            return ours.get()

    def get_message(self, message_id: str, /) -> Stored | None:
        found = find(self.row, message_id)
        if found is None:
            return None
        body = MessageRow.objects.filter(id=found.id).values_list("body", flat=True)
        return next(map(parse_body, body), None)

    def get_history(self, leaf_id: str | None = None, /) -> list[Stored]:
        row = self.row
        try:
            history = read_history(row, leaf=leaf_id or None)
        except NotFound:
            return []
        return list(map(parse_body, reclaimed(history)))

    def get_latest_leaf(self) -> Stored | None:
        head = self.row.head
        return parse_body(head.body) if head else None

    def get_branches(self, message_id: str, /) -> list[Stored]:
        row = self.row
        try:
            return [parse_body(body) for body in children(row, message_id)]
        except NotFound:
            return []

    def get_path_length(self, leaf_id: str | None = None, /) -> int:
        row = self.row
        try:
            return read_history(row, leaf=leaf_id or None, limit=1).path_length
        except NotFound:
            return 0

    def get_recent_history(
        self, max_bytes: int, min_recent: int = 1, /
    ) -> RecentHistory:
        return recent_history(self.row, max_bytes, min_recent)

    def append_message(self, message: Message, parent_id: Parent = UNSET, /) -> bool:
        return self.append_messages([message], parent_id)[0]

    def append_messages(
        self, messages: Sequence[Message], parent_id: Parent = UNSET, /
    ) -> list[bool]:
        """Add messages one after another, all or none; return for each if it is new."""
        drafts = [draft_of(message) for message in messages]
        appended = append_messages(
            session_id=self._pk or self.row.id, drafts=drafts, parent=parent_id
        )
        return [receipt.status == "created" for receipt in appended.receipts]

    def update_message(self, message: Message, /) -> bool:
        draft, row = draft_of(message), self.row
        if draft.uid is None or find(row, draft.uid) is None:
            return False
        editing.put_message(session=row, draft=draft)
        return True

    def put_message(self, message: Message, parent_id: Parent = UNSET, /) -> bool:
        """Write over the message of its id, or add it; return whether it is new."""
        draft = draft_of(message)
        return editing.put_message(session=self.row, draft=draft, parent=parent_id)[1]

    def delete_messages(self, message_ids: Sequence[str], /) -> int:
        return deleting.delete_messages(session=self.row, uids=message_ids)

    def clear_messages(self) -> None:
        sessions.clear_session(session=self.row)

    def add_compaction(
        self, summary: str, from_id: str, to_id: str, /
    ) -> CompactionInfo:
        made = overlays.add_compaction(
            session=self.row,
            summary=summary,
            first=from_id,
            last=to_id,
            created_by="python",
        )
        return info_of(made)

    def get_compactions(self) -> list[CompactionInfo]:
        found = Compaction.objects.filter(session=self.row)
        found = found.select_related("first", "last").order_by("id")
        return list(map(info_of, found.defer("first__body", "last__body")))

    def search_messages(self, query: str, limit: int = 20, /) -> list[Hit]:
        row = self.row
        scope = Scope(session=row.id, path=row.fork_point_id)
        return [
            Hit(
                id=hit.message,
                role=hit.role,
                content=hit.content,
                created_at=isoformat(hit.created_at),
            )
            for hit in find_messages(text=query, scope=scope, limit=max(limit, 0)).hits
        ]


def info_of(compaction: Compaction) -> CompactionInfo:
    return CompactionInfo(
        id=compaction.uid,
        summary=compaction.summary,
        from_message_id=compaction.first.uid,
        to_message_id=compaction.last.uid,
        created_at=isoformat(compaction.created_at),
    )
