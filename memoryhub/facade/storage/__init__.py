"""
Where a session's messages are: one shape, of which a host may bring its own.

Any object with these methods will do, async ones too (seed 003, custom providers).
Beyond them it may have ``search_messages``, ``get_recent_history``, and
``append_messages`` to take a batch as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypedDict

from msgspec import UNSET, UnsetType

Message = Mapping[str, Any]
Stored = dict[str, Any]
Parent = str | UnsetType | None
"""The id of a message; None makes a root; UNSET is the one that the session ends with."""

DEFAULT_SESSION = "default"

__all__ = [
    "DEFAULT_SESSION",
    "UNSET",
    "CompactionInfo",
    "Hit",
    "Message",
    "Parent",
    "RecentHistory",
    "SessionProvider",
    "Stored",
]


class CompactionInfo(TypedDict):
    id: str
    summary: str
    from_message_id: str
    to_message_id: str
    created_at: str


class Hit(TypedDict):
    """A message that a search found; ``content`` is the text that is searched."""

    id: str
    role: str
    content: str
    created_at: str


class RecentHistory(NamedTuple):
    """The end of a history; ``truncated`` says whether there is more above it."""

    messages: list[Stored]
    truncated: bool
    total_content_bytes: int


class SessionProvider(Protocol):
    def get_message(self, message_id: str, /) -> Stored | None: ...

    def get_history(self, leaf_id: str | None = None, /) -> list[Stored]:
        """Return the path to a message, root first, with summaries in place."""

    def get_latest_leaf(self) -> Stored | None:
        """Return the message that the next one follows."""

    def get_branches(self, message_id: str, /) -> list[Stored]:
        """Return what follows a message, oldest first."""

    def get_path_length(self, leaf_id: str | None = None, /) -> int:
        """Count the messages on a path, those under summaries too."""

    def append_message(
        self, message: Message, parent_id: Parent = ..., /
    ) -> bool | None:
        """Add a message, unless its id is there; False says that nothing was added."""

    def update_message(self, message: Message, /) -> bool | None:
        """Write over the message of its id; False says that there is none."""

    def delete_messages(self, message_ids: Sequence[str], /) -> object: ...

    def clear_messages(self) -> object: ...

    def add_compaction(
        self, summary: str, from_id: str, to_id: str, /
    ) -> CompactionInfo: ...

    def get_compactions(self) -> list[CompactionInfo]:
        """Return all, oldest first."""
