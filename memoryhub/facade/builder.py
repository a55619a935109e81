"""What is said of a session before its first use, in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from context_app.services.creating import BlockExists
from memoryhub.facade.changes import Listener
from memoryhub.facade.checks import check_count
from memoryhub.facade.compaction import CompactionFunction, TokenCounter
from memoryhub.facade.providers import BlockPlan
from memoryhub.facade.storage import DEFAULT_SESSION
from sessions_app.errors import Conflict, Invalid
from sessions_app.models import Agent

ErrorHandler = Callable[[Exception], Any]


@dataclass(slots=True)
class Plan:
    """All that a builder was told. ``storage`` is a host's own, instead of an agent's."""

    agent: str | Agent = Agent.DEFAULT
    session_id: str = DEFAULT_SESSION
    storage: Any = None
    blocks: list[BlockPlan] = field(default_factory=list)
    cached_prompt: bool = False
    prompt_store: Any = None
    compact: CompactionFunction | None = None
    threshold: int | None = None
    token_counter: TokenCounter | None = None
    on_error: ErrorHandler | None = None
    listener: Listener | None = None
    started: bool = False


class Builder:
    """The methods that sessions and managers have in common; each returns the object."""

    plan: Plan

    def with_context(
        self,
        label: str,
        *,
        description: str = "",
        max_tokens: int | None = None,
        provider: Any = None,
    ) -> Self:
        """
        Add a block to the prompt, after those that were added before.

        Without a ``provider`` it is a text in the database that the model may write.

        :raises BlockExists: if there is one of that label
        """
        self._check_not_started("with_context", "; use add_context")
        if any(block.label == label for block in self.plan.blocks):
            raise BlockExists(f'Block "{label}" already exists', label=label)
        self.plan.blocks.append(BlockPlan(label, description, max_tokens, provider))
        return self

    def with_cached_prompt(self, provider: Any = None) -> Self:
        """Keep the frozen prompt: in the database, or where ``get`` and ``set`` put it."""
        self._check_not_started("with_cached_prompt")
        self.plan.cached_prompt = True
        self.plan.prompt_store = provider
        return self

    def on_compaction(self, function: CompactionFunction) -> Self:
        """
        Have the session summed up by a function: see ``create_compact_function``.

        :raises Invalid: if it cannot be called
        """
        self._check_not_started("on_compaction")
        if not callable(function):
            raise Invalid("on_compaction: must be a function", field="function")
        self.plan.compact = function
        return self

    def compact_after(
        self, tokens: int, *, token_counter: TokenCounter | None = None
    ) -> Self:
        """
        Compact above so many tokens, after an append.

        With ``on_compaction`` that is done here and now, else by the server's jobs.

        :raises Invalid: if it is no number of tokens
        """
        check_count(tokens, "compact_after")
        self._check_not_started("compact_after")
        self.plan.threshold = tokens
        self.plan.token_counter = token_counter or self.plan.token_counter
        return self

    def on_compaction_error(self, handler: ErrorHandler) -> Self:
        """Be told when a compaction fails that nobody has asked for."""
        self.plan.on_error = handler
        return self

    def on_change(self, listener: Listener | None) -> Self:
        """Be told of each write through this object, once it is done."""
        self.plan.listener = listener
        return self

    def _check_not_started(self, method: str, instead: str = "") -> None:
        if self.plan.started:
            raise Conflict(f"{method}: the session is in use already{instead}")


class SessionBuilder(Builder):
    """
    A session that is not in use yet.

    ``Session(storage, context=[...])`` says at once what ``Session.create`` and the
    methods after it say one by one.
    """

    def __init__(
        self,
        storage: Any = None,
        *,
        context: Sequence[Mapping[str, Any]] = (),
        prompt_store: Any = None,
        token_counter: TokenCounter | None = None,
        on_compaction_error: ErrorHandler | None = None,
    ) -> None:
        self.plan = Plan(
            storage=storage,
            cached_prompt=prompt_store is not None,
            prompt_store=prompt_store,
            token_counter=token_counter,
            on_error=on_compaction_error,
        )
        for block in context:
            self.with_context(**block)

    @classmethod
    def create(cls, agent: str | Agent | object = Agent.DEFAULT) -> Self:
        """Return a session of an agent, or over a storage of the host's own."""
        if not isinstance(agent, str | Agent):
            return cls(agent)
        session = cls()
        session.plan.agent = agent
        return session

    def for_session(self, session_id: str) -> Self:
        """Say which session it is; it is made at first use, if there is none."""
        self._check_not_started("for_session")
        self.plan.session_id = session_id
        return self
