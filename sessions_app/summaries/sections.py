"""The four headings of a summary, and fitting lines under them into a budget."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sessions_app.tokens import text_tokens

TOPIC = "Topic"
KEY_POINTS = "Key Points"
CURRENT_STATE = "Current State"
OPEN_ITEMS = "Open Items"
HEADINGS = (TOPIC, KEY_POINTS, CURRENT_STATE, OPEN_ITEMS)

HEADING = re.compile(r"^##\s+(.+?)\s*$", re.MULTILINE)
BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
NOTHING = "- None noted."

# Lines are not made shorter than this many characters: they are left out instead.
SHORTEST = 24


class Line(NamedTuple):
    """What to say under a heading. Of two, the one of the lower ``rank`` matters more."""

    rank: int
    section: str
    text: str


def compose(lines: Sequence[Line], budget: int) -> str:
    """
    Return the lines under their headings, within a budget of tokens.

    The ranks decide what stays; under a heading the lines stand in the order given.
    The last line to be taken in is cut short, if that leaves something to read.
    """
    room = budget - text_tokens("\n\n".join(f"## {each}\n" for each in HEADINGS))
    kept: dict[int, str] = {}
    for at in sorted(range(len(lines)), key=lambda at: (lines[at].rank, at)):
        text = f"- {lines[at].text}"
        size = text_tokens(text) + 1
        if size > room:
            text = clip_to(text, room - 1)
            size = text_tokens(text) + 1
            if len(text) < SHORTEST or size > room:
                continue
        kept[at] = text
        room -= size
    nothing = [NOTHING] if room > len(HEADINGS) * text_tokens(NOTHING) else []
    return "\n\n".join(
        "\n".join([f"## {heading}", *(_under(heading, lines, kept) or nothing)])
        for heading in HEADINGS
    )


def _under(heading: str, lines: Sequence[Line], kept: dict[int, str]) -> list[str]:
    return [text for at, text in sorted(kept.items()) if lines[at].section == heading]


def parse(summary: str) -> dict[str, list[str]]:
    """
    Return the lines of a summary by its headings, without their bullets.

    What stands under none of ours, or under no heading, is a key point.
    """
    found: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    section = KEY_POINTS
    for line in summary.splitlines():
        if match := HEADING.match(line):
            section = match[1] if match[1] in found else KEY_POINTS
        elif (text := BULLET.sub("", line).strip()) and line.strip() != NOTHING:
            found[section].append(text)
    return found


def clip(text: str, longest: int) -> str:
    """Return a text of at most so many characters, cut between words if it has any."""
    if len(text) <= longest:
        return text
    begin = text[: max(longest - 1, 0)]
    space = begin.rfind(" ")
    if space > longest // 2:
        begin = begin[:space]
    return begin.rstrip() + "…"


def clip_to(text: str, tokens: int) -> str:
    """Return a text of at most so many tokens; empty if that is none."""
    length = min(len(text), 4 * max(tokens, 0))
    while length > 0 and text_tokens(clipped := clip(text, length)) > tokens:
        length = min(length - 1, length * 9 // 10)
    return clipped if length > 0 else ""
