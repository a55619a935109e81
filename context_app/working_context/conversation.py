"""The messages of a context, in a dialect: made once for the same path."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple

from context_app.working_context.caching import ContentCache
from sessions_app.formats import Message, get_format
from sessions_app.formats.truncation import truncate_older
from sessions_app.messages import RESERVED_PREFIX, parse_body, print_json
from sessions_app.planning import Step
from sessions_app.strategies import choose, summary_of
from sessions_app.summaries.extractive import summarize
from sessions_app.tokens import message_tokens

# Tokens that the summary of a summarizing strategy may take.
SUMMARY_TOKENS = 1_000


class Wish(NamedTuple):
    """What is asked of the messages: see ``build_context``."""

    format: str
    strategy: str
    size: int | None
    keep_recent: int | None


class Conversation(NamedTuple):
    """
    The parts of a request that hold the conversation, as JSON, and their tokens.

    ``summary_tokens`` are those of the tokens that summaries take.
    """

    system: bytes
    messages: bytes
    repairs: bytes
    dropped: bytes
    tokens: int
    summary_tokens: int


class Read(NamedTuple):
    """A message, which nobody may change, and its tokens."""

    message: Message
    tokens: int


_cache: ContentCache[Conversation] = ContentCache(32 * 1024 * 1024)
# After a turn a path is a new one, but for all its older messages.
_read: ContentCache[Read] = ContentCache(32 * 1024 * 1024)
# What a parsed message takes, by the length of its text, and at least.
PARSED_PER_CHAR = 4
PARSED_LEAST = 1_000


def converse(bodies: Sequence[str], system: str, wish: Wish) -> Conversation:
    """
    Return the messages of a path, given as JSON texts, as a dialect wants them.

    :raises UnknownFormat: if there is no such dialect
    :raises Invalid: if there is no such strategy, or the size is below 1
    """
    key = (wish, system, *bodies)
    made = _cache.get(key)
    if made is None:
        made = _render(bodies, system, wish)
        _cache.put(key, made, len(made.messages) + sum(map(len, bodies)))
    return made


def _render(bodies: Sequence[str], system: str, wish: Wish) -> Conversation:
    dialect = get_format(wish.format)
    read = read_bodies(bodies)
    known = {id(each.message): each.tokens for each in read}
    messages = _selected([each.message for each in read], wish)
    if wish.keep_recent is not None:
        messages = truncate_older(messages, keep_recent=wish.keep_recent)
    # A strategy's summary, and what was cut short, are new.
    tokens = [known.get(id(each)) or message_tokens(each) for each in messages]
    summaries = map(is_summary, messages)
    rendered = dialect.render(messages, system or None)
    return Conversation(
        system=print_json(rendered.system),
        messages=print_json(rendered.messages),
        repairs=print_json(rendered.repairs),
        dropped=print_json(rendered.dropped),
        tokens=sum(tokens),
        summary_tokens=sum(compress(tokens, summaries)),
    )


def read_bodies(bodies: Sequence[str]) -> list[Read]:
    """Return messages by their texts. They are shared: nobody may change them."""
    return [
        found or _parse(body)
        for body, found in zip(bodies, _read.get_all(bodies), strict=True)
    ]


def _parse(body: str) -> Read:
    message = parse_body(body)
    read = Read(message, message_tokens(message))
    _read.put(body, read, PARSED_LEAST + PARSED_PER_CHAR * len(body))
    return read


def _selected(messages: list[Message], wish: Wish) -> list[Message]:
    selection = choose(wish.strategy, messages, wish.size)
    kept = messages[selection.start :]
    if not selection.summarize:
        return kept
    steps = [_step(message) for message in messages[: selection.start]]
    return [summary_of(summarize(steps, SUMMARY_TOKENS)), *kept]


def _step(message: Message) -> Step:
    covers = None
    if is_summary(message):
        compaction: dict[str, Any] = message["metadata"]["compaction"]
        covers = (compaction["from"], compaction["to"])
    return Step(
        message["id"],
        message["role"],
        message["parts"],
        message_tokens(message),
        covers,
    )


def is_summary(message: Message) -> bool:
    """Say whether a message stands for others: a compaction's, or a strategy's, which has no id."""
    uid: str | None = message.get("id")
    return uid is None or uid.startswith(RESERVED_PREFIX)
