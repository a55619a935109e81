from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import Any, TypeVar, overload

from asgiref.sync import sync_to_async

from memoryhub.facade.asynchronous import AsyncSession, AsyncTool, Threaded, awaitable
from memoryhub.facade.infos import SessionInfo
from memoryhub.facade.manager import SessionManager
from memoryhub.facade.manager_builder import ManagerBuilder

M = TypeVar("M", bound="AsyncSessionManager")


class AsyncCreate:
    """The same as ``manager.Create``."""

    @overload
    def __get__(self, manager: None, owner: type[M]) -> type[M]: ...
    @overload
    def __get__(
        self, manager: M, owner: type[M]
    ) -> Callable[..., Coroutine[Any, Any, SessionInfo]]: ...
    def __get__(self, manager: Any, owner: Any) -> Any:
        return owner if manager is None else manager.create_session


class AsyncSessionManager(ManagerBuilder):
    """``SessionManager``, with its methods to be awaited."""

    @cached_property
    def sync(self) -> SessionManager:
        manager = SessionManager()
        manager.plan, manager.history_label = self.plan, self.history_label
        return manager

    create = AsyncCreate()
    create_session = Threaded(SessionManager.create_session)
    get = Threaded(SessionManager.get)
    list = Threaded(SessionManager.list)
    rename = Threaded(SessionManager.rename)
    delete = Threaded(SessionManager.delete)
    fork = Threaded(SessionManager.fork)
    compact_and_split = Threaded(SessionManager.compact_and_split)
    add_usage = Threaded(SessionManager.add_usage)
    append = Threaded(SessionManager.append)
    upsert = Threaded(SessionManager.upsert)
    append_all = Threaded(SessionManager.append_all)
    get_history = Threaded(SessionManager.get_history)
    get_message_count = Threaded(SessionManager.get_message_count)
    get_branches = Threaded(SessionManager.get_branches)
    clear_messages = Threaded(SessionManager.clear_messages)
    delete_messages = Threaded(SessionManager.delete_messages)
    add_compaction = Threaded(SessionManager.add_compaction)
    get_compactions = Threaded(SessionManager.get_compactions)
    search = Threaded(SessionManager.search)

    def get_session(self, session_id: str) -> AsyncSession:
        """Return the session of an id, which is made at first use."""
        found = self.sync.get_session(session_id)
        session = AsyncSession()
        session.plan, session.sync = found.plan, found
        return session

    async def tools(self) -> dict[str, AsyncTool]:
        return awaitable(await sync_to_async(self.sync.tools)())
