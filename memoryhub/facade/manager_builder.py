"""What is said of a manager's sessions before their first use."""

from __future__ import annotations

from typing import Any, Self

from context_app.services.creating import BlockExists
from memoryhub.facade.builder import Builder, Plan
from memoryhub.facade.providers import is_leaky
from sessions_app.errors import Invalid
from sessions_app.models import Agent

SHARED = (
    "{}: all sessions would share this object, so what one writes the others would "
    "read: pass a function that takes the id of a session and returns an object"
)


class ManagerBuilder(Builder):
    """Sessions are made as they were described when ``get_session`` first gave them."""

    def __init__(self, agent: str | Agent = Agent.DEFAULT) -> None:
        self.plan = Plan(agent=agent)
        self.history_label: str | None = None

    def with_context(
        self,
        label: str,
        *,
        description: str = "",
        max_tokens: int | None = None,
        provider: Any = None,
    ) -> Self:
        """
        Add a block to all sessions. In the database each has its own.

        :raises BlockExists: if there is one of that label
        :raises Invalid: if sessions would write to one object
        """
        if is_leaky(provider):
            raise Invalid(SHARED.format(f'with_context("{label}")'))
        if label == self.history_label:
            raise BlockExists(f'Block "{label}" already exists', label=label)
        return super().with_context(
            label, description=description, max_tokens=max_tokens, provider=provider
        )

    def with_cached_prompt(self, provider: Any = None) -> Self:
        """
        Keep frozen prompts: in the database, or where ``get`` and ``set`` put them.

        :raises Invalid: if all sessions would have one prompt
        """
        if is_leaky(provider):
            raise Invalid(SHARED.format("with_cached_prompt"))
        return super().with_cached_prompt(provider)

    def with_searchable_history(self, label: str) -> Self:
        """
        Let models search all sessions of the agent, in a block after the others.

        :raises BlockExists: if there is one of that label
        """
        if any(block.label == label for block in self.plan.blocks):
            raise BlockExists(f'Block "{label}" already exists', label=label)
        self.history_label = label
        return self
