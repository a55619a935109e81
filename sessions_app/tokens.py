"""
How many tokens a text or a message takes, estimated without a tokenizer.

The numbers are those of the reference (../spec/sessions.md, sections 0.2 and 5),
which counts as JavaScript does: lengths in UTF-16 code units, words between the
white space of JavaScript, JSON without spaces.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

CHARS_PER_TOKEN = 4
TOKENS_PER_WORD = 1.3
TOKENS_PER_MESSAGE = 4

# Python's own idea of white space differs: it has U+001C to U+001F and U+0085,
# and lacks U+FEFF.
WORD = re.compile(
    "[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
)


def utf16_length(text: str) -> int:
    """Return the length of a text as JavaScript counts it."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def count_words(text: str) -> int:
    if text.isascii() and not _holds_separator(text):
        return len(text.split())
    return len(WORD.findall(text))


def _holds_separator(text: str) -> bool:
    # One after the other: a pattern, or a loop, would take longer than to count.
    return "\x1c" in text or "\x1d" in text or "\x1e" in text or "\x1f" in text


def text_tokens(text: str) -> int:
    if not text:
        return 0
    chars = utf16_length(text) / CHARS_PER_TOKEN
    return math.ceil(max(chars, count_words(text) * TOKENS_PER_WORD))


def value_tokens(value: Any) -> int:
    """Return the tokens of any JSON value: a string as text, the rest as JSON."""
    if value is None:
        return 0
    return text_tokens(value if isinstance(value, str) else compact_json(value))


def message_tokens(message: Mapping[str, Any]) -> int:
    """Return the tokens of a message with ``parts``; files and errors count none."""
    return TOKENS_PER_MESSAGE + sum(map(part_tokens, message["parts"]))


def part_tokens(part: Mapping[str, Any]) -> int:
    kind = part["type"]
    if kind in ("text", "reasoning"):
        text = part.get("text")
        return value_tokens(part.get("reasoning") if text is None else text)
    if is_tool(kind):
        output = part.get("output")
        result = part.get("result") if output is None else output
        return value_tokens(part.get("input")) + value_tokens(result)
    if "text" in part:
        return value_tokens(part["text"])
    return value_tokens(part.get("result"))


def is_tool(kind: str) -> bool:
    """Say whether a part's type is that of a tool call."""
    return kind.startswith("tool-") or kind == "dynamic-tool"


def compact_json(value: Any) -> str:
    """Return JSON as JSON.stringify prints it: no spaces, and 1.0 is 1."""
    return orjson.dumps(_as_numbers_of_javascript(value)).decode()


def _as_numbers_of_javascript(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_numbers_of_javascript(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_as_numbers_of_javascript(each) for each in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        value = float(value)
    if isinstance(value, float):
        if abs(value) >= 1e21:
            return orjson.Fragment(repr(value))
        return int(value) if value.is_integer() and abs(value) < 2**63 else value
    return value
