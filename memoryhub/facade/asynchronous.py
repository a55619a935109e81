"""
Session and SessionManager for async code.

Each call runs in a thread, as Django's async views have their ORM calls run, and there
waits for what is async of the host's: providers, storages, compaction functions.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cached_property, partial
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from asgiref.sync import sync_to_async

from memoryhub.facade.builder import SessionBuilder
from memoryhub.facade.context.base import Tool
from memoryhub.facade.session import Session

P = ParamSpec("P")
R = TypeVar("R")


class Threaded(Generic[P, R]):
    """A method of ``self.sync``, to be awaited."""

    def __init__(self, method: Callable[Concatenate[Any, P], R]) -> None:
        self.method = method

    def __get__(self, face: Any, owner: type) -> Callable[P, Coroutine[Any, Any, R]]:
        return sync_to_async(partial(self.method, face.sync))


class AsyncTool(NamedTuple):
    description: str
    input_schema: dict[str, Any]
    execute: Callable[[Any], Coroutine[Any, Any, str]]


def awaitable(tools: dict[str, Tool]) -> dict[str, AsyncTool]:
    return {
        name: AsyncTool(
            tool.description, tool.input_schema, sync_to_async(tool.execute)
        )
        for name, tool in tools.items()
    }


class AsyncSession(SessionBuilder):
    """``Session``, with every method but those of the builder to be awaited."""

    @cached_property
    def sync(self) -> Session:
        session = Session()
        session.plan = self.plan
        return session

    append_message = Threaded(Session.append_message)
    append_messages = Threaded(Session.append_messages)
    upsert_message = Threaded(Session.upsert_message)
    update_message = Threaded(Session.update_message)
    delete_messages = Threaded(Session.delete_messages)
    clear_messages = Threaded(Session.clear_messages)
    get_history = Threaded(Session.get_history)
    get_recent_history = Threaded(Session.get_recent_history)
    get_message = Threaded(Session.get_message)
    get_latest_leaf = Threaded(Session.get_latest_leaf)
    get_branches = Threaded(Session.get_branches)
    get_path_length = Threaded(Session.get_path_length)
    search = Threaded(Session.search)
    add_compaction = Threaded(Session.add_compaction)
    get_compactions = Threaded(Session.get_compactions)
    compact = Threaded(Session.compact)
    add_context = Threaded(Session.add_context)
    remove_context = Threaded(Session.remove_context)
    get_context_block = Threaded(Session.get_context_block)
    get_context_blocks = Threaded(Session.get_context_blocks)
    replace_context_block = Threaded(Session.replace_context_block)
    append_context_block = Threaded(Session.append_context_block)
    freeze_system_prompt = Threaded(Session.freeze_system_prompt)
    refresh_system_prompt = Threaded(Session.refresh_system_prompt)
    get_loaded_skill_keys = Threaded(Session.get_loaded_skill_keys)
    unload_skill = Threaded(Session.unload_skill)

    async def tools(self) -> dict[str, AsyncTool]:
        return awaitable(await sync_to_async(self.sync.tools)())
