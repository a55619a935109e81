"""
What was sent or answered, as a request may hold it.

A response's message is not quite one of a request: no calls at all is refused there, as
null and as an empty list, and of spoken audio only the id is taken.
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.shapes import Message

NOT_EMPTY = ("tool_calls", "name")


def as_request(
    own: Message, *, no_content: str | None, has_ids: bool
) -> Message | None:
    """
    Return a message without what a request may not hold; None: it has to be printed.

    ``no_content`` is the content of an assistant's that has none; ``has_ids`` says
    whether all calls and results have ids, but for those of the old ``function_call``.
    """
    calls = own.get("tool_calls") or []
    if not all(_is_request(call, has_ids=has_ids) for call in calls):
        return None
    if has_ids and own["role"] == "tool" and not own.get("tool_call_id"):
        return None
    found = {key: each for key, each in own.items() if each or key not in NOT_EMPTY}
    if found.get("content") is None:
        if own["role"] in ("tool", "function"):
            return None
        if no_content is not None:
            found["content"] = no_content
    audio = found.get("audio")
    if isinstance(audio, dict) and isinstance(audio.get("id"), str):
        found["audio"] = {"id": audio["id"]}
    return found


def _is_request(call: Any, *, has_ids: bool) -> bool:
    """Some servers answer with arguments that are no text, as they may not be sent."""
    if has_ids and not call.get("id"):
        return False
    function = call.get("function")
    return function is None or isinstance(function.get("arguments"), str)
