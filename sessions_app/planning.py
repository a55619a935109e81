"""
Which stretch of a history a compaction is to cover.

The reference's rules and numbers (../spec/sessions.md, section 4.1), with two of its
faults mended: a call stays together with all its results, and whatever lies between
an older summary and the new end is in the text to be summarised.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sessions_app.tokens import is_tool

SHARE_OF_SUMMARY = 0.2
LEAST_BUDGET = 100
# The reference means to stop at 8K as well, and does not.
MOST_BUDGET = 8_000


@dataclass(frozen=True, slots=True)
class Step:
    """
    One place of a history as it is seen: a message, or the summary of several.

    A summary ``covers`` the messages from one id to another, ``count`` of them.
    """

    id: str
    role: str
    parts: Sequence[Mapping[str, Any]]
    tokens: int
    covers: tuple[str, str] | None = None
    count: int = 1

    @property
    def is_summary(self) -> bool:
        return self.covers is not None

    @property
    def first(self) -> str:
        return self.covers[0] if self.covers else self.id

    @property
    def last(self) -> str:
        return self.covers[1] if self.covers else self.id


@dataclass(frozen=True, slots=True)
class Limits:
    """
    What a plan leaves as it is: the first messages, and the newest.

    First messages that take more than ``head_tokens`` are not left as they are: with
    them no compaction could make the context short enough.
    """

    protect_head: int = 3
    tail_tokens: int = 20_000
    min_tail: int = 2
    head_tokens: int | None = None


class Span(NamedTuple):
    """The steps from ``start`` up to, but not with, ``end``."""

    start: int
    end: int


def find_span(steps: Sequence[Step], limits: Limits | None = None) -> Span | None:
    """Return the steps that a new summary is to stand for; None: it is not worth it."""
    limits = limits or Limits()
    cuts = safe_cuts(steps)
    start = _start(steps, cuts, limits)
    if len(steps) <= start + limits.min_tail:
        return None
    tokens = [step.tokens for step in steps]
    end = align_backward(
        cuts, tail_cut(tokens, start, limits.tail_tokens, limits.min_tail)
    )
    if all(step.is_summary for step in steps[start:end]):
        return None
    return Span(start, end)


def _start(steps: Sequence[Step], cuts: Sequence[bool], limits: Limits) -> int:
    """
    Return where the oldest summary stands, or the end of the protected head.

    Whatever is raw above the oldest summary counts as head, unless it has grown
    larger than a tail may be: it would keep the context full for ever.
    """
    head = align_forward(cuts, min(limits.protect_head, len(steps)))
    if limits.head_tokens is not None:
        while sum(step.tokens for step in steps[:head]) > limits.head_tokens:
            head = align_backward(cuts, head - 1)
    oldest = next((at for at, step in enumerate(steps) if step.is_summary), None)
    if oldest is None:
        return head
    if sum(step.tokens for step in steps[head:oldest]) > limits.tail_tokens:
        return head
    return align_backward(cuts, oldest)


def tail_cut(tokens: Sequence[int], head: int, budget: int, minimum: int) -> int:
    """
    Return where the protected tail begins.

    It holds what fits into the budget, the last message in any case, and at least
    ``minimum`` messages where the head leaves as many.
    """
    cut = len(tokens)
    used = 0
    while cut > head and (cut == len(tokens) or used + tokens[cut - 1] <= budget):
        cut -= 1
        used += tokens[cut]
    minimum_cut = len(tokens) - minimum
    return min(cut, minimum_cut) if minimum_cut >= head else cut


def safe_cuts(steps: Sequence[Step]) -> list[bool]:
    """Return for each place between steps whether it parts no call from its results."""
    cuts = [True] * (len(steps) + 1)
    calls: dict[str, int] = {}
    waiting: set[str] = set()
    for at, step in enumerate(steps):
        for part in step.parts:
            call = part.get("toolCallId")
            if not is_tool(part["type"]) or not isinstance(call, str):
                continue
            # Some models number their calls anew in each turn, so that an id comes
            # back: a call of it that follows an answered one is another call.
            if call in calls and (_is_result(step, part) or call in waiting):
                cuts[calls[call] + 1 : at + 1] = [False] * (at - calls[call])
                waiting.discard(call)
            elif not _is_result(step, part):
                calls[call] = at
                if not has_result(part):
                    waiting.add(call)
    return cuts


def _is_result(step: Step, part: Mapping[str, Any]) -> bool:
    return step.role != "assistant" or part["type"] == "tool-result"


def has_result(part: Mapping[str, Any]) -> bool:
    """Say whether a tool part holds what the call came to, well or badly."""
    return any(part.get(key) is not None for key in ("output", "result", "errorText"))


def align_forward(cuts: Sequence[bool], at: int) -> int:
    while not cuts[at]:
        at += 1
    return at


def align_backward(cuts: Sequence[bool], at: int) -> int:
    while not cuts[at]:
        at -= 1
    return at


def shorten(steps: Sequence[Step], span: Span, sizes: Sequence[int], room: int) -> Span:
    """
    Return as much of a span as fits, from its start, and at least one message of it.

    ``sizes`` are of the span's steps.
    """
    cuts = safe_cuts(steps)
    best: Span | None = None
    used, has_message = 0, False
    for at in range(span.start, span.end):
        used += sizes[at - span.start]
        has_message = has_message or not steps[at].is_summary
        if best and used > room:
            break
        if has_message and cuts[at + 1]:
            best = Span(span.start, at + 1)
    return best or span


def summary_budget(tokens: int, most: int = MOST_BUDGET) -> int:
    """Return how long the summary of so many tokens may be."""
    share = math.floor(SHARE_OF_SUMMARY * tokens)
    return max(LEAST_BUDGET, min(share, most))
