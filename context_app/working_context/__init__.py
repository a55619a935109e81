"""
What a model call needs, in the dialect that the caller speaks: one read.

    frame         the frozen prompt, the agent's policy, the tools
    conversation  the messages of a path, in a dialect
    caching       neither is made twice from the same, and no message is parsed twice
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import orjson

from context_app.services.skills import reclaimed
from context_app.working_context.conversation import Conversation, Wish, converse
from context_app.working_context.frame import Defaults, Frozen, read_frame
from sessions_app.errors import Invalid
from sessions_app.services.forest.finding import Tree
from sessions_app.services.forest.history import History, Step, read_history
from sessions_app.strategies import STRATEGIES


class Tokens(NamedTuple):
    """Estimates, of the parts of a request."""

    system: int
    messages: int
    tools: int

    @property
    def total(self) -> int:
        return sum(self)


@dataclass(slots=True)
class WorkingContext:
    """
    A request to a model, but for the model's name.

    ``head`` is what to send back as ``expected_head`` with the answer. Of the
    conversation, ``repairs`` say what had to be changed for the dialect, and
    ``dropped`` what it cannot hold. ``steps`` are of the whole path, whatever the
    strategy leaves of it.
    """

    format: str
    conversation: Conversation
    history: History
    bodies: list[str]
    tools: bytes
    tokens: Tokens
    head: str | None
    leaf: str | None
    prompt: Frozen
    stale: bool
    strategy: str

    @property
    def steps(self) -> list[Step]:
        return [
            step._replace(body=body)
            for step, body in zip(self.history.steps, self.bodies, strict=True)
        ]

    @property
    def json(self) -> bytes:
        """The whole as the API gives it."""
        rest = {
            "tokens": {**self.tokens._asdict(), "total": self.tokens.total},
            "head": self.head,
            "leaf": self.leaf,
            "prompt": {
                "version": self.prompt.version,
                "sha256": self.prompt.sha256,
                "stale": self.stale,
            },
            "strategy": self.strategy,
        }
        pieces = {
            b"format": orjson.dumps(self.format),
            b"system": self.conversation.system,
            b"messages": self.conversation.messages,
            b"tools": self.tools,
            b"repairs": self.conversation.repairs,
            b"dropped": self.conversation.dropped,
        }
        members = b",".join(b'"%b":%b' % piece for piece in pieces.items())
        return b"{%b,%b" % (members, orjson.dumps(rest)[1:])


def build_context(
    *,
    session: Tree,
    format: str = "ai-sdk",  # noqa: A002 (the API's word)
    leaf: str | None = None,
    strategy: str | None = None,
    window: int | None = None,
    max_tokens: int | None = None,
    keep_recent: int | None = None,
    freeze: bool = True,
) -> WorkingContext:
    """
    Return the frozen prompt, the path to a leaf, and the tools, valid in a dialect.

    ``strategy`` decides how much of the path is seen (see sessions_app.strategies), by
    default the agent's policy does; ``window`` or ``max_tokens`` is its size. A size
    that the policy's strategy does not take means the first one that does.
    ``keep_recent`` cuts long tool outputs and texts short in all but the newest so many
    messages. Without ``freeze`` nothing is written: a prompt that was never frozen is
    shown as it would be.

    :raises UnknownFormat: if there is no such dialect
    :raises Invalid: if there is no such strategy, or it does not take that size
    :raises NotFound: if the session sees no message ``leaf``
    """
    frame = read_frame(session.id, format, leaf=leaf, freeze=freeze)
    strategy, size = _strategy(frame.defaults, strategy, window, max_tokens)
    history = read_history(session, leaf=leaf)
    bodies = reclaimed(history)
    wish = Wish(format, strategy, size, keep_recent)
    conversation = converse(bodies, frame.prompt.text, wish)
    return WorkingContext(
        format=format,
        conversation=conversation,
        history=history,
        bodies=bodies,
        tools=frame.tools.json,
        tokens=Tokens(frame.prompt.tokens, conversation.tokens, frame.tools.tokens),
        head=history.head,
        leaf=history.leaf,
        prompt=frame.prompt,
        stale=frame.tools.stale,
        strategy=strategy,
    )


def _strategy(
    defaults: Defaults, name: str | None, window: int | None, max_tokens: int | None
) -> tuple[str, int | None]:
    """
    Return the strategy to use and its size: the request's, or else the agent's.

    :raises Invalid: if the strategy does not take the size
    """
    unit, size = (
        ("window", window) if max_tokens is None else ("max_tokens", max_tokens)
    )
    if size is None:
        return (name, None) if name else (defaults.strategy, defaults.strategy_size)
    if window is not None and max_tokens is not None:
        raise Invalid("max_tokens: send it or a window, not both", field="max_tokens")
    taking = [each.name for each in STRATEGIES.values() if each.unit == unit]
    if name is None:
        return (defaults.strategy if defaults.strategy in taking else taking[0]), size
    if name in STRATEGIES and name not in taking:
        raise Invalid(f"{unit}: the strategy {name} does not take it", field=unit)
    return name, size
