"""The facade in async code, with objects of the host that are async, or are not."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from memoryhub import (
    AsyncSession,
    AsyncSessionManager,
    Change,
    Session,
    SessionManager,
    create_compact_function,
)
from memoryhub.facade.builder import SessionBuilder
from memoryhub.facade.manager_builder import ManagerBuilder
from tests.facade import Notes, soul
from tests.memoryhub.test_storage_contract import HostStorage, message

pytestmark = pytest.mark.django_db


class AsyncNotes:
    text = "Old"

    async def get(self) -> str:
        return self.text

    async def set(self, content: str) -> None:
        self.text = content


def methods(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_every_method_is_there() -> None:
    assert methods(Session) <= {*methods_of(AsyncSession), "plan"}
    assert methods(SessionManager) <= {*methods_of(AsyncSessionManager), "plan"}


def methods_of(cls: type) -> set[str]:
    return {
        name for each in cls.__mro__ for name in vars(each) if not name.startswith("_")
    }


def test_a_session() -> None:
    notes = AsyncNotes()
    changes: list[str] = []

    async def summarize(prompt: str) -> str:
        return "S"

    async def listen(change: Change) -> None:
        changes.append(change.kind)

    async def scenario() -> None:
        session = (
            AsyncSession.create("support")
            .for_session("trip")
            .with_context("soul", provider=soul())
            .with_context("memory", max_tokens=1100)
            .with_context("notes", provider=notes)
            .with_cached_prompt()
            .on_change(listen)
            .on_compaction(
                create_compact_function(summarize=summarize, tail_token_budget=0)
            )
            .compact_after(60)
        )
        assert await session.append_message(message("a")) == "a"
        assert await session.get_history() == [message("a")]
        assert "Old" in await session.freeze_system_prompt()
        await session.append_context_block("notes", "New")
        tools = await session.tools()
        told = await tools["set_context"].execute(
            {"label": "memory", "content": "Facts"}
        )
        assert told == "Written to memory. Usage: 0% (2/1100 tokens)"
        assert "Facts" in await session.refresh_system_prompt()
        await session.append_messages([message(f"w{number}") for number in range(10)])
        history = await session.get_history()
        assert history[3]["parts"][0]["text"] == "S"

    async_to_sync(scenario)()

    assert notes.text == "Old\nNew"
    assert changes == ["append", "compact"]


def test_an_async_storage() -> None:
    async def scenario() -> list[dict[str, Any]]:
        session = AsyncSession(
            HostStorage(), context=[{"label": "n", "provider": Notes()}]
        )
        await session.append_message(message("a"))
        await session.replace_context_block("n", "x")
        return await session.get_history()

    assert async_to_sync(scenario)() == [message("a")]


def test_a_manager() -> None:
    async def scenario() -> None:
        manager = (
            AsyncSessionManager.create("support")
            .with_context("memory")
            .with_searchable_history("history")
        )
        info = await manager.create("Chat", model="m")
        assert await manager.list() == [info]
        await manager.append_all(info.id, [message("a", "blue"), message("b")])
        session = manager.get_session(info.id)
        assert isinstance(session, AsyncSession)
        assert len(await session.get_history()) == 2
        tools = await manager.tools()
        assert await tools["session_search"].execute({"query": "blue"}) == "[user] blue"
        assert list(await session.tools()) == ["set_context", "search_context"]
        forked = await manager.fork(info.id, "a")
        assert await manager.get_message_count(forked.id) == 1
        await manager.delete(info.id)
        assert await manager.get(info.id) is None

    async_to_sync(scenario)()


def test_builders_are_not_awaited() -> None:
    for builder in (SessionBuilder, ManagerBuilder):
        assert not any(map(inspect.iscoroutinefunction, vars(builder).values()))
