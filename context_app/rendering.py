"""
The system prompt that blocks make, byte for byte as the reference prints it.

(../spec/sessions.md, section 6.1.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

RULE = "\u2550" * 46


class Section(Protocol):
    """What must be known of a block to print it."""

    @property
    def label(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def content(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def max_tokens(self) -> int | None: ...
    @property
    def writable(self) -> bool: ...
    @property
    def is_skill(self) -> bool: ...
    @property
    def is_searchable(self) -> bool: ...


def render_prompt(sections: Iterable[Section], *, usage: bool = True) -> str:
    """
    Return the prompt of blocks in their order; without any it is empty.

    An empty block is printed only where a model could fill it. ``usage`` says how full
    a block is; left out, the text changes less often, and provider caches hold longer.
    """
    return "\n\n".join(
        f"{RULE}\n{header(each, usage=usage)}\n{RULE}\n{each.content}"
        for each in sections
        if each.content or each.writable or each.is_skill or each.is_searchable
    )


def header(section: Section, *, usage: bool = True) -> str:
    pieces = [section.label.upper()]
    if section.description:
        pieces.append(f"({section.description})")
    if usage and section.max_tokens:
        percent = usage_percent(section.tokens, section.max_tokens)
        pieces.append(f"[{percent}% — {section.tokens}/{section.max_tokens} tokens]")
    pieces.append(f"[{_tag(section)}]")
    return " ".join(pieces)


def usage_percent(tokens: int, most: int) -> int:
    """Return how much of a limit is used, a half rounded up as JavaScript does."""
    return math.floor(tokens / most * 100 + 0.5)


def _tag(section: Section) -> str:
    if section.is_searchable:
        return "searchable"
    if section.is_skill:
        return "loadable"
    return "writable" if section.writable else "readonly"
