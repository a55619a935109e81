"""
Another estimate of tokens, by words and their languages: that of the gumbee memories.

The numbers are theirs (memory-subsystems.md, B5), blind spots included: Cyrillic,
Greek, Hiragana, Arabic, emoji and more count nothing there. ``floored_tokens`` gives
what they leave out a token for four bytes, and is the one to hold a budget with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from sessions_app.tokens import compact_json, is_tool, utf16_length

Count = Callable[[str], int]

TOKENS_PER_FILE = 85 + 170 * 4
BYTES_PER_TOKEN = 4
CHARS_PER_TOKEN = 6.0

CJK = "\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
WORD = "A-Za-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff"
PUNCTUATION = re.escape(".,!?;:()[]{}<>/\\|@#$%^&*-+=_~`")
# The first that fits counts. Each may have white space before it, but white space itself.
PIECES = re.compile(
    r"\s*(?P<tag></?[A-Za-z][A-Za-z0-9]*>)"
    r"|\s*(?P<heading>\#{1,6}\s)"
    r"|\s*(?P<bullet>[-*]\s)"
    r"|\s*(?P<fence>```)"
    rf"|\s*(?P<cjk>[{CJK}])"
    rf"|(?P<word>\s*[{WORD}]+)"
    rf"|\s*(?P<punctuation>[{PUNCTUATION}]+)"
    r"|(?P<blank>\s+)"
)
DIGITS = re.compile("[0-9]+")
# Characters a token takes in words of a language, by letters that only it has.
LANGUAGES = (
    (re.compile("[äöüßẞ]", re.IGNORECASE), 3.0),
    (re.compile("[éèêëàâîïôûùüÿçœæáíóúñ]", re.IGNORECASE), 3.0),
    (re.compile("[ąćęłńóśźżěščřžýůúďťň]", re.IGNORECASE), 3.5),
)


def text_tokens(text: str) -> int:
    """Return the estimate of a text, which is 0 for many scripts."""
    return sum(_piece_tokens(found) for found in PIECES.finditer(text))


def _piece_tokens(found: re.Match[str]) -> int:
    kind, piece = found.lastgroup, found.group().strip()
    if not piece:
        return 1 if "\n" in found.group() else 0
    if kind == "tag":
        return max(1, math.ceil(len(piece) / 4))
    if kind == "cjk":
        return 1
    if kind == "word":
        return 1 if DIGITS.fullmatch(piece) else _word_tokens(found.group())
    # Headings, bullets and fences are punctuation too, once their space is gone.
    return 1 if len(piece) == 1 else math.ceil(len(piece) / 2)


def floored_tokens(text: str) -> int:
    """Return the estimate, and a token for four bytes of what that leaves out."""
    rest = PIECES.sub("", text)
    floor = math.ceil(len(rest.encode("utf-8", "replace")) / BYTES_PER_TOKEN)
    return text_tokens(text) + floor


def message_tokens(message: Mapping[str, Any], count: Count = floored_tokens) -> int:
    """Return the estimate of a message, which has no price of its own."""
    return sum(part_tokens(part, count) for part in message["parts"])


def part_tokens(part: Mapping[str, Any], count: Count = floored_tokens) -> int:
    kind = part["type"]
    if kind in ("text", "reasoning"):
        return _value_tokens(part.get("text"), count)
    if is_tool(kind):
        name = part.get("toolName") or kind.removeprefix("tool-")
        tokens = 0
        if part.get("input") is not None:
            tokens = count(str(name)) + count(compact_json(part["input"]))
        output = part.get("output", part.get("result", part.get("errorText")))
        return tokens + _output_tokens(output, count)
    if kind.startswith(("step-start", "source-", "data-")):
        return 0
    return TOKENS_PER_FILE


def _output_tokens(output: Any, count: Count) -> int:
    if isinstance(output, dict) and output.get("type") == "content":
        parts = output.get("value")
        found = parts if isinstance(parts, list) else []
        return sum(part_tokens(each, count) for each in found)
    return _value_tokens(output, count)


def _value_tokens(value: Any, count: Count) -> int:
    if value is None:
        return 0
    return count(value if isinstance(value, str) else compact_json(value))


def _word_tokens(word: str) -> int:
    """A word's white space counts with it."""
    length = utf16_length(word)
    if length <= 3:
        return 1
    for letters, chars in LANGUAGES:
        if letters.search(word):
            return math.ceil(length / chars)
    return math.ceil(length / CHARS_PER_TOKEN)
