"""What a format's reader gives: conversations in our terms, and what it could not read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from sessions_app.messages import Draft


class Line(NamedTuple):
    """A line of a file, with its number from 1."""

    number: int
    text: bytes


class Problem(NamedTuple):
    """What could not be read or stored as it is, and where; 0 is the whole file."""

    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class ImportedUsage:
    """
    What the call of a model used, which made the message.

    ``tokens`` are the buckets of the ledger. ``response_id`` is the provider's, or made
    so that a copy of the message in another file has the same.
    """

    tokens: Mapping[str, int]
    cost: Decimal | None
    provider: str
    model: str
    response_id: str
    raw: str


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """A message that was checked, and the id of the one that it follows."""

    draft: Draft
    parent: str | None
    line: int
    usage: ImportedUsage | None = None

    @property
    def uid(self) -> str:
        return self.draft.uid or ""


@dataclass(frozen=True, slots=True)
class ImportedCompaction:
    """
    A summary over the messages from ``first`` to ``last``; ``uid`` is the file's.

    ``columns`` are of one that comes back to where it was, and keeps its id.
    """

    uid: str
    first: str
    last: str
    summary: str
    created_at: int | None
    line: int
    columns: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """
    One session to be. Of its messages each stands after the one that it follows.

    ``source_id`` stays the same from one export to the next. ``metadata`` and
    ``labels`` (by message) hold nothing that a database cannot store.

    What comes back to where it was has a ``key`` of its own, ``columns`` of the session,
    the rows of its ``ledger`` and its ``belongings``.
    """

    source_id: str
    source: str
    name: str
    messages: Sequence[ImportedMessage]
    head: str | None
    line: int
    model: str = ""
    created_at: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    compactions: Sequence[ImportedCompaction] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    settings: int = 0
    key: str | None = None
    updated_at: int | None = None
    parent_session: str | None = None
    columns: Mapping[str, Any] = field(default_factory=dict)
    ledger: Sequence[Mapping[str, Any]] = ()
    belongings: Sequence[dict[str, Any]] = ()

    def key_in(self, format_name: str) -> str:
        """Return the id that the session has here."""
        return self.key or f"{format_name}:{self.source_id}"

    @property
    def branch_points(self) -> int:
        """Return how many messages have several replies."""
        replies = Counter(message.parent for message in self.messages)
        return sum(1 for parent, count in replies.items() if parent and count > 1)


class Format(NamedTuple):
    """A kind of file: what it is, how it is told from others, and how it is read."""

    title: str
    detect: Callable[[Sequence[bytes]], bool]
    read: Callable[[Iterable[Line]], Iterator[Conversation | Problem]]
