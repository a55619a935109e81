"""
Old tool outputs and texts, shortened while they are read; what is stored stays whole.

The structure of an output survives as far as it can. Lengths are those of JavaScript,
of the text itself or of its JSON. The numbers are the reference's: sessions.md 10.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sessions_app.formats.shapes import Message, Part
from sessions_app.tokens import compact_json, is_tool, utf16_length

KEEP_RECENT = 4
MAX_TOOL_OUTPUT = 500
MAX_TEXT = 10_000
MAX_DEPTH = 8
MIN_CHILD = 80
# A container's room is shared out to at most so many of its children.
MAX_CHILDREN = 10
NOTE = "This tool output was too long and has been left out of the conversation."
LIST_NOTE = "Array output truncated "
DEEP_NOTE = "[Nested too deeply]"


def truncate_older(
    messages: Sequence[Message],
    *,
    keep_recent: int = KEEP_RECENT,
    max_tool_output: int = MAX_TOOL_OUTPUT,
    max_text: int = MAX_TEXT,
) -> list[Message]:
    """
    Return the messages, those before the last ``keep_recent`` shortened.

    The messages given are not changed; one that needs no cut is the same object.
    """
    cut = max(len(messages) - keep_recent, 0)
    older = [_truncate(each, max_tool_output, max_text) for each in messages[:cut]]
    return [*older, *messages[cut:]]


def truncate_output(output: Any, most: int) -> Any:
    """Return a tool's output in at most so many characters, where it can be cut."""
    return _truncate_value(output, most, 0)


def output_length(output: Any) -> int:
    """Return the length that counts: of a text itself, of other values as JSON."""
    if isinstance(output, str):
        return utf16_length(output)
    return utf16_length(compact_json(output))


def _truncate(message: Message, max_tool_output: int, max_text: int) -> Message:
    parts = [
        _truncate_part(part, max_tool_output, max_text) for part in message["parts"]
    ]
    if all(new is old for new, old in zip(parts, message["parts"], strict=True)):
        return message
    return {**message, "parts": parts}


def _truncate_part(part: Part, max_tool_output: int, max_text: int) -> Part:
    if is_tool(part["type"]) and part.get("output") is not None:
        output = truncate_output(part["output"], max_tool_output)
        return part if output is part["output"] else {**part, "output": output}
    text = part.get("text")
    if part["type"] == "text" and isinstance(text, str):
        length = utf16_length(text)
        if length > max_text:
            return {**part, "text": f"{_head(text, max_text)}{_suffix(length)}"}
    return part


def _truncate_value(value: Any, most: int, depth: int) -> Any:
    length = output_length(value)
    if length <= most:
        return value
    if isinstance(value, str):
        return _truncate_text(value, length, most)
    if not isinstance(value, list | dict):
        return value
    if depth >= MAX_DEPTH:
        return f"{DEEP_NOTE}{_suffix(length)}"
    child = most
    if len(value) > 1:
        child = max(MIN_CHILD, most // min(len(value), MAX_CHILDREN))
    if isinstance(value, list):
        return _truncate_list(value, length, most, child, depth)
    return _truncate_object(value, length, most, child, depth)


def _truncate_text(text: str, length: int, most: int) -> str:
    suffix = _suffix(length)
    if most <= len(suffix):
        return suffix[:most]
    return _head(text, most - len(suffix)) + suffix


def _truncate_list(
    items: list[Any], length: int, most: int, child: int, depth: int
) -> list[Any]:
    kept = [_truncate_value(item, child, depth + 1) for item in items]
    size = output_length(kept)
    dropped = False
    while len(kept) > 1 and size > most:
        size -= output_length([kept.pop()]) - 1
        dropped = True
    if dropped:
        kept.append(f"{LIST_NOTE}{_suffix(length)}")
    if output_length(kept) <= most:
        return kept
    for marker in _markers(length):
        if output_length([marker]) <= most:
            return [marker]
    note = f"{LIST_NOTE}{_suffix(length)}"
    if output_length([note]) <= most:
        return [note]
    return [_suffix(length)[:most]]


def _truncate_object(
    value: dict[str, Any], length: int, most: int, child: int, depth: int
) -> dict[str, Any]:
    kept = {key: _truncate_value(each, child, depth + 1) for key, each in value.items()}
    texts = [key for key, each in kept.items() if isinstance(each, str)]
    texts.sort(key=lambda key: -utf16_length(kept[key]))
    for key in texts:
        if output_length(kept) <= most:
            break
        kept[key] = _truncate_value(kept[key], most // 4, depth + 1)
    if output_length(kept) <= most:
        return kept
    full, short = _markers(length)
    return full if output_length(full) <= most else short


def _markers(length: int) -> list[dict[str, Any]]:
    marker = {"__truncated": True, "__truncatedChars": length}
    return [{**marker, "note": NOTE}, marker]


def _suffix(length: int) -> str:
    return f"... [truncated {length} chars]"


def _head(text: str, units: int) -> str:
    """Return the beginning of a text, in UTF-16 units; no character is cut in two."""
    if text.isascii():
        return text[:units]
    return text.encode("utf-16-le")[: units * 2].decode("utf-16-le", "ignore")
