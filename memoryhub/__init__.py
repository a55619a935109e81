"""
MemoryHub: a self-hosted memory server for LLM agents.

Its Python face is had from here, once Django is set up: it is imported when it is first
asked for, as this package is that of the settings, too.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memoryhub.facade.async_manager import AsyncSessionManager
    from memoryhub.facade.asynchronous import AsyncSession
    from memoryhub.facade.changes import Change
    from memoryhub.facade.compaction import CompactionResult, create_compact_function
    from memoryhub.facade.manager import SessionManager
    from memoryhub.facade.providers import (
        AgentContextProvider,
        AgentSearchProvider,
        AgentSkillProvider,
        FileSkillProvider,
    )
    from memoryhub.facade.session import Session
    from memoryhub.facade.storage import SessionProvider
    from memoryhub.facade.storage.memory import MemorySessionProvider
    from memoryhub.facade.storage.orm import AgentSessionProvider

__version__ = "0.1.0"

__all__ = [
    "AgentContextProvider",
    "AgentSearchProvider",
    "AgentSessionProvider",
    "AgentSkillProvider",
    "AsyncSession",
    "AsyncSessionManager",
    "Change",
    "CompactionResult",
    "FileSkillProvider",
    "MemorySessionProvider",
    "Session",
    "SessionManager",
    "SessionProvider",
    "__version__",
    "create_compact_function",
]

# Where what is named above is.
MODULES = {
    "AgentContextProvider": "providers",
    "AgentSearchProvider": "providers",
    "AgentSessionProvider": "storage.orm",
    "AgentSkillProvider": "providers",
    "AsyncSession": "asynchronous",
    "AsyncSessionManager": "async_manager",
    "Change": "changes",
    "CompactionResult": "compaction",
    "FileSkillProvider": "providers",
    "MemorySessionProvider": "storage.memory",
    "Session": "session",
    "SessionManager": "manager",
    "SessionProvider": "storage",
    "create_compact_function": "compaction",
}


def __getattr__(name: str) -> object:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"memoryhub.facade.{MODULES[name]}"), name)
