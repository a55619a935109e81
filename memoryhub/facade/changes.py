"""What a listener is told of (../../../spec/sessions.md, section 10.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Change:
    """
    One write to a session, after it was done.

    Of an append and an update: ``message``. ``inserted`` is false for a message that
    was there already. An append that led to a compaction is told as ``compact`` alone.
    """

    kind: Literal["append", "update", "delete", "clear", "compact"]
    message: Mapping[str, Any] | None = None
    inserted: bool = True
    message_ids: Sequence[str] = ()


Listener = Callable[[Change], Any]
