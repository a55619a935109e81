from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, overload

from context_app.tools import Desk, define_tools, run_tool
from memoryhub.facade.context.base import AUTHOR, Tool
from memoryhub.facade.infos import FoundMessage, SessionInfo
from memoryhub.facade.registry import Registry
from memoryhub.facade.storage import UNSET, CompactionInfo, Message, Parent, Stored
from sessions_app.models import Session as Row
from sessions_app.search import Scope
from sessions_app.services.searching import find_messages
from sessions_app.times import isoformat

R = TypeVar("R", bound=Registry)


class Create:
    """Called on the class it makes a manager, and on a manager a session, as in the seed."""

    @overload
    def __get__(self, manager: None, owner: type[R]) -> type[R]: ...
    @overload
    def __get__(self, manager: R, owner: type[R]) -> Callable[..., SessionInfo]: ...
    def __get__(self, manager: Registry | None, owner: type[Registry]) -> Any:
        return owner if manager is None else manager.create_session


class SessionManager(Registry):
    """
    The sessions of an agent, all with the same blocks and the same compaction.

        manager = (
            SessionManager.create("support")
            .with_context("memory", description="Learned facts", max_tokens=1100)
            .with_searchable_history("history")
        )
        chat = manager.create("My chat")

    It may be used by several threads.
    """

    create = Create()

    def append(
        self, session_id: str, message: Message, parent_id: Parent = UNSET
    ) -> str:
        """Add a message, by default after the head, and return its id."""
        return self._known(session_id).append_message(message, parent_id)

    def upsert(
        self, session_id: str, message: Message, parent_id: Parent = UNSET
    ) -> str:
        """Write over the message of the same id, or add it; return its id."""
        return self._known(session_id).upsert_message(message, parent_id)

    def append_all(
        self, session_id: str, messages: Sequence[Message], parent_id: Parent = UNSET
    ) -> str | None:
        """Add messages one after another, all or none; return the last one's id."""
        session = self._known(session_id)
        if messages:
            return session.append_messages(messages, parent_id)[-1]
        return parent_id if isinstance(parent_id, str) else None

    def get_history(self, session_id: str, leaf_id: str | None = None) -> list[Stored]:
        return self._known(session_id).get_history(leaf_id)

    def get_message_count(self, session_id: str) -> int:
        """Count the messages on the path to the head, those under summaries too."""
        return self._known(session_id).get_path_length()

    def get_branches(self, session_id: str, message_id: str) -> list[Stored]:
        return self._known(session_id).get_branches(message_id)

    def clear_messages(self, session_id: str) -> None:
        self._known(session_id).clear_messages()

    def delete_messages(self, session_id: str, message_ids: Iterable[str]) -> None:
        self._known(session_id).delete_messages(message_ids)

    def add_compaction(
        self, session_id: str, summary: str, from_id: str, to_id: str
    ) -> CompactionInfo:
        return self._known(session_id).add_compaction(summary, from_id, to_id)

    def get_compactions(self, session_id: str) -> list[CompactionInfo]:
        return self._known(session_id).get_compactions()

    def search(self, query: str, limit: int = 20) -> list[FoundMessage]:
        """Search the messages of all sessions of the agent, best first."""
        scope = Scope(agent=self._agent().pk)
        return [
            FoundMessage(
                session_id=hit.session,
                id=hit.message,
                role=hit.role,
                content=hit.content,
                created_at=isoformat(hit.created_at),
            )
            for hit in find_messages(text=query, scope=scope, limit=max(limit, 0)).hits
        ]

    def tools(self) -> dict[str, Tool]:
        """Return what a model is given that works on no session: ``session_search``."""
        return {
            each.name: Tool(
                each.description, each.input_schema, self._executor(each.name)
            )
            for each in define_tools(self._desk())
        }

    def _executor(self, name: str) -> Callable[[Any], str]:
        return lambda arguments: run_tool(self._desk(), name, arguments)

    def _desk(self) -> Desk:
        desk = Desk(Row(agent=self._agent()), AUTHOR)
        desk.blocks, desk.searches_sessions = [], True
        return desk
