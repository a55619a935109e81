"""A text that is too long for one prompt, cut so that each piece fits one."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from sessions_app.tokens import CHARS_PER_TOKEN, text_tokens

SEPARATOR = "\n\n---\n\n"
# Where the cut is looked for: in the last fifth of what would fit.
SLACK = 0.8


def cautious_tokens(text: str) -> int:
    """
    Return about the most tokens that a text may take of a model's window.

    The estimate that the product counts with has six Chinese characters in two
    tokens; a model may take one or more for each.
    """
    if text.isascii():
        return text_tokens(text)
    ascii_length = sum(map(str.isascii, text))
    return max(
        text_tokens(text), ascii_length // CHARS_PER_TOKEN + len(text) - ascii_length
    )


def take(texts: Sequence[str], room: int) -> tuple[str, list[str]]:
    """
    Return as many texts as fit, joined, and the texts that are left.

    A text that is too long on its own is cut: its rest is the first of those left.
    """
    chunk: list[str] = []
    for at, text in enumerate(texts):
        size = cautious_tokens(text) + cautious_tokens(SEPARATOR)
        if size > room:
            if chunk:
                return SEPARATOR.join(chunk), list(texts[at:])
            begin, rest = cut(text, room)
            return begin, [*([rest] if rest else []), *texts[at + 1 :]]
        chunk.append(text)
        room -= size
    return SEPARATOR.join(chunk), []


def cut(text: str, room: int) -> tuple[str, str]:
    """Return the longest beginning of a text that fits, and the rest."""
    # A token is at most four characters, so there is no need to look further.
    longest = min(len(text), max(room, 1) * CHARS_PER_TOKEN)
    at = bisect.bisect_right(
        range(longest + 1), room, lo=1, key=lambda end: cautious_tokens(text[:end])
    )
    end = max(at - 1, 1)
    if end < len(text):
        for mark in ("\n", " "):
            found = text.rfind(mark, int(end * SLACK), end)
            if found > 0:
                end = found + 1
                break
    return text[:end], text[end:]


def clip_middle(text: str, room: int) -> str:
    """Return a text that fits, with a note of what was left out of its middle."""
    if cautious_tokens(text) <= room:
        return text
    note = "\n[... {} characters are left out here ...]\n"
    half = max((room - cautious_tokens(note) - 10) // 2, 1)
    begin, rest = cut(text, half)
    end = cut(rest[::-1], half)[0][::-1]
    return f"{begin}{note.format(len(text) - len(begin) - len(end))}{end}"
