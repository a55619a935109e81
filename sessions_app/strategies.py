"""
Which part of a history the model gets to see.

Each strategy keeps the newest messages, as one stretch without gaps. The newest is
always kept, however big; a call and its results are never parted. Names and defaults
are those of the gumbee memories: memory-subsystems.md, part B.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sessions_app.errors import Invalid
from sessions_app.tokens import is_tool, message_tokens

Message = dict[str, Any]
Estimate = Callable[[Message], int]
Summarize = Callable[[Sequence[Message]], str]


@dataclass(frozen=True, slots=True)
class Selection:
    """Messages from ``start`` on are kept; those before it may ask for a summary."""

    start: int
    summarize: bool = False
    # What is kept takes more tokens than asked for, since it may not be cut further.
    over_budget: bool = False


@dataclass(frozen=True, slots=True)
class Strategy:
    name: str
    description: str
    # What ``size`` counts, and what it is where nothing is said; None: no size.
    unit: str | None
    default: int | None
    choose: Callable[[Sequence[Message], int, Estimate], Selection]


def choose(
    name: str,
    messages: Sequence[Message],
    size: int | None = None,
    estimate: Estimate = message_tokens,
) -> Selection:
    """
    Return what a strategy keeps of a history.

    :raises Invalid: if there is no such strategy, or the size is below 1
    """
    if name not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise Invalid(f"strategy: must be one of {known}", field="strategy")
    strategy = STRATEGIES[name]
    size = strategy.default if size is None else size
    if size is not None and size < 1:
        raise Invalid(f"{strategy.unit or 'size'}: must be at least 1", field="size")
    return strategy.choose(messages, size or 0, estimate)


def simple(messages: Sequence[Message], size: int, estimate: Estimate) -> Selection:
    return Selection(start=0)


def sliding_window(
    messages: Sequence[Message], size: int, estimate: Estimate
) -> Selection:
    """Keep the newest ``size``, and more where a pair would be parted."""
    return Selection(_before_pairs(messages, max(len(messages) - size, 0)))


def token_window(
    messages: Sequence[Message], size: int, estimate: Estimate
) -> Selection:
    """
    Keep the newest that fit in ``size`` tokens, and fewer where a pair would be parted.

    Only where the newest message, with the pairs it is in, does not fit by itself, is
    more kept than asked for.
    """
    total, start = 0, len(messages)
    while start and total + (tokens := estimate(messages[start - 1])) <= size:
        total += tokens
        start -= 1
    start = _behind_pairs(messages, start)
    if start < len(messages) or not messages:
        return Selection(start)
    start = _before_pairs(messages, len(messages) - 1)
    total = sum(estimate(message) for message in messages[start:])
    return Selection(start, over_budget=total > size)


def summarizing(
    messages: Sequence[Message], size: int, estimate: Estimate
) -> Selection:
    """Keep the newest ``size``, and a summary of all that was before."""
    start = _before_pairs(messages, max(len(messages) - size, 0))
    return Selection(start, summarize=start > 0)


class Memory:
    """
    A conversation held in memory: ``store`` a message, ``read`` what the model sees.

    A strategy that summarizes asks ``summarize`` once for each new beginning, and not
    each time it is read; without one, it keeps all.
    """

    def __init__(
        self,
        messages: Sequence[Message] = (),
        *,
        strategy: str = "simple",
        size: int | None = None,
        estimate: Estimate = message_tokens,
        summarize: Summarize | None = None,
    ) -> None:
        self.messages = list(messages)
        self.initial = len(self.messages)
        self.strategy = strategy
        self.size = size
        self.estimate = estimate
        self.summarize = summarize
        self.summary = (0, "")

    def store(self, message: Message) -> None:
        self.messages.append(message)

    def appended(self) -> list[Message]:
        """Return the messages stored since it was made."""
        return self.messages[self.initial :]

    def read(self) -> list[Message]:
        found = choose(self.strategy, self.messages, self.size, self.estimate)
        if not found.summarize:
            return self.messages[found.start :]
        if self.summarize is None:
            return list(self.messages)
        if self.summary[0] != found.start:
            self.summary = found.start, self.summarize(self.messages[: found.start])
        return [summary_of(self.summary[1]), *self.messages[found.start :]]


def summary_of(text: str) -> Message:
    """Return the message for a summary: a user's, for system ones get lost on the way."""
    note = f"[Previous conversation summary: {text}]"
    return {"role": "user", "parts": [{"type": "text", "text": note}]}


def first_calls(messages: Sequence[Message]) -> list[int]:
    """
    Return for each message the place of the earliest call that it answers.

    Only the first answer of a call counts; a message that answers none has its own place.
    """
    places: list[int] = []
    open_calls: dict[str, int] = {}
    for index, message in enumerate(messages):
        place = index
        for part in message["parts"]:
            if not is_tool(part["type"]):
                continue
            uid = str(part.get("toolCallId") or part.get("toolName") or part["type"])
            if uid in open_calls:
                place = min(place, open_calls.pop(uid))
            elif message["role"] == "assistant":
                open_calls[uid] = index
        places.append(place)
    return places


def _before_pairs(messages: Sequence[Message], start: int) -> int:
    """Return the place, at or before this one, that parts no pair."""
    calls = first_calls(messages)
    lowest = index = len(messages)
    while index > start:
        index -= 1
        lowest = min(lowest, calls[index])
        start = min(start, lowest)
    return start


def _behind_pairs(messages: Sequence[Message], start: int) -> int:
    """Return the place, at or behind this one, that parts no pair."""
    calls = first_calls(messages)
    lowest = len(messages)
    found = len(messages)
    for index in range(len(messages) - 1, start - 1, -1):
        lowest = min(lowest, calls[index])
        if lowest >= index:
            found = index
    return found


STRATEGIES: dict[str, Strategy] = {
    each.name: each
    for each in (
        Strategy("simple", "All messages", None, None, simple),
        Strategy("sliding_window", "The newest messages", "window", 30, sliding_window),
        Strategy(
            "token_window",
            "The newest messages that fit in a number of tokens",
            "max_tokens",
            128_000,
            token_window,
        ),
        Strategy(
            "summarizing",
            "The newest messages, and a summary of those before",
            "window",
            20,
            summarizing,
        ),
    )
}
