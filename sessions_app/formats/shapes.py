"""
The neutral form between what is stored and what a dialect prints.

A stored message becomes one or more turns, a turn a list of items. Repair works on
turns and knows no dialect; a dialect prints turns and repairs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

Message = dict[str, Any]
Part = dict[str, Any]
Role = Literal["system", "user", "assistant", "tool"]
Provider = Mapping[str, Any]


@dataclass(slots=True)
class Text:
    text: str
    provider: Provider
    part: Part | None = None


@dataclass(slots=True)
class Reasoning:
    text: str
    provider: Provider
    part: Part | None = None


@dataclass(slots=True)
class File:
    media_type: str
    url: str
    filename: str | None
    provider: Provider
    part: Part | None = None


@dataclass(slots=True)
class Opaque:
    """What only the dialect it came from can read."""

    value: Any
    part: Part | None = None


@dataclass(slots=True)
class Call:
    id: str
    name: str
    input: Any
    # The arguments as they were written, where printing them again could differ.
    raw_input: str | None
    provider: Provider
    # The id is ours, for its dialect gives none.
    generated: bool = False
    part: Part | None = None


@dataclass(slots=True)
class Result:
    """What a call gave: ``files`` stand beside the value, which may be a text."""

    id: str
    name: str
    value: Any
    error: bool
    files: list[File]
    provider: Provider
    generated: bool = False
    part: Part | None = None
    # Whose result it is; repair finds that.
    call: Call | None = None


Item = Text | Reasoning | File | Opaque | Call | Result


@dataclass(slots=True)
class Turn:
    """Items of one role. ``origin`` is the message's place in the list, -1 is ours."""

    role: Role
    items: list[Item]
    origin: int
    # The whole message in the dialect asked for, as it was sent; None: convert.
    own: Any = None
    # It stands for messages that were compacted.
    summary: bool = False


class Native(NamedTuple):
    """Half of what a tool of the provider's did: its call or its result."""

    id: str
    is_call: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """What a dialect demands, as far as repair has to know."""

    format: str
    # Keys of providerMetadata that its provider made, and may get back.
    providers: Collection[str] = ()
    # System messages: stay; stay at the beginning only; or belong to the prompt. One
    # that may not stay where it is becomes a user's.
    system: Literal["keep", "lead", "lift"] = "keep"
    first_user: bool = False
    alternate: bool = False
    # Results stand in the order of their calls.
    ordered: bool = False
    # Every call has an id.
    has_ids: bool = True
    id_pattern: str | None = None
    id_length: int = 200
    name_pattern: str | None = None
    name_length: int = 128
    # Whether what only this dialect can read is a call or a result of such a tool.
    native: Callable[[Any], Native | None] | None = None
    keeps_reasoning: Callable[[Reasoning], bool] = lambda reasoning: False
    summary_as_user: bool = True


@dataclass(slots=True)
class Rendered:
    """The part of a request that holds the conversation, in one dialect."""

    system: Any
    messages: list[Any]
    repairs: list[dict[str, Any]] = field(default_factory=list)
    dropped: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Answer:
    """What a model answered: a provider's whole response object, read."""

    messages: list[Message]
    usage: dict[str, Any] | None = None
    model: str | None = None
    response_id: str | None = None
    stop_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool, before any dialect."""

    name: str
    description: str
    input_schema: dict[str, Any]


class Render(Protocol):
    """Gives a conversation, with the system prompt, in one dialect."""

    def __call__(
        self, messages: list[Message], /, system: str | None = None
    ) -> Rendered: ...


@dataclass(frozen=True, slots=True)
class Format:
    """
    One dialect.

    ``parse`` takes a list of its messages, ``parse_response`` a model's whole
    response; both raise Invalid, naming field and rule. ``render`` gives messages
    that are valid in it, whatever was stored.
    """

    name: str
    title: str
    parse: Callable[[Any], list[Message]]
    parse_response: Callable[[Any], Answer]
    render: Render
    tools: Callable[[list[Definition]], list[dict[str, Any]]]
