"""What is said beside a message: how it ended, and how long after the one before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessions_app.messages import preview
from sessions_app.models.fields import from_millis

MINUTE = 60_000
# Shorter pauses are not worth a line.
IDLE = 30 * MINUTE

# Reasons to stop, as providers and clients call them: what to say, and how loudly.
ENDINGS = {
    "aborted": ("stopped by the user", "warn"),
    "cancelled": ("stopped by the user", "warn"),
    "length": ("cut at the token limit", "warn"),
    "max_tokens": ("cut at the token limit", "warn"),
    "content_filter": ("stopped by a filter", "warn"),
    "content-filter": ("stopped by a filter", "warn"),
    "refusal": ("refused", "warn"),
    "error": ("failed", "bad"),
}


@dataclass(frozen=True, slots=True)
class Note:
    text: str
    kind: str


def note_of(metadata: Any) -> Note | None:
    """Return how a message ended, if not as it should."""
    for known in _places(metadata):
        for key in ("stopReason", "stop_reason", "finishReason", "finish_reason"):
            reason = known.get(key)
            if isinstance(reason, str) and reason in ENDINGS:
                text, kind = ENDINGS[reason]
                why = known.get("errorMessage") if kind == "bad" else None
                return Note(
                    f"{text}: {preview(why)}" if isinstance(why, str) else text, kind
                )
    return None


def _places(metadata: Any) -> list[Mapping[str, Any]]:
    if not isinstance(metadata, Mapping):
        return []
    pi = metadata.get("pi")
    message = pi.get("message") if isinstance(pi, Mapping) else None
    return [each for each in (metadata, message) if isinstance(each, Mapping)]


def later(before: int, after: int) -> str:
    """Return how long nothing was said, and the day if it is another; both in ms."""
    idle = after - before
    days = from_millis(before).date(), from_millis(after).date()
    words = []
    if idle >= IDLE:
        words.append(f"{_long(idle)} later")
    if days[0] != days[1]:
        words.append(f"{days[1].day} {days[1]:%B %Y}")
    return " · ".join(words)


def _long(milliseconds: int) -> str:
    minutes = milliseconds // MINUTE
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return (
            f"{hours} h" if hours >= 10 or not minutes else f"{hours} h {minutes} min"
        )
    return f"{hours // 24} days"
