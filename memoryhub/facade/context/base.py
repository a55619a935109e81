from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

from context_app.authors import Author
from context_app.loading import Skill
from context_app.models import HeldWrite
from context_app.providers import PythonBlock
from context_app.services.contexts import ContextBlock, find_in, write_text
from context_app.tools import Desk, define_tools, run_tool
from memoryhub.facade.builder import Plan
from memoryhub.facade.providers import BlockPlan, made_for
from memoryhub.facade.settling import Settled
from sessions_app.errors import Conflict, Invalid

SET = "set_context"

# Who writes what a host's code writes.
AUTHOR = Author("python")


class Tool(NamedTuple):
    """A tool as a host gives it to a model; ``execute`` takes the model's arguments."""

    description: str
    input_schema: dict[str, Any]
    execute: Callable[[Any], str]


class Context(ABC):
    """
    What a session's model knows and may do.

    The frozen prompt is kept by the host's prompt store, or, without one, as long as
    this object lives.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.own: list[PythonBlock] = []
        self._frozen: str | None = None
        # A host's own text is read and written over when something is added to it.
        self._writing = threading.RLock()
        store = plan.prompt_store
        self._store = (
            None if store is None else Settled(made_for(plan.session_id, store))
        )

    @abstractmethod
    def desk(self) -> Desk:
        """Return what the tools work on now."""

    @abstractmethod
    def add(self, block: BlockPlan, position: int | None = None) -> None:
        """
        :raises BlockExists: if there is one of that label
        """

    @abstractmethod
    def remove(self, label: str) -> bool: ...

    @abstractmethod
    def render(self) -> str: ...

    def prepare(self) -> None:
        """Put the blocks that the builder was told of in their places."""
        for position, block in enumerate(self.plan.blocks):
            self.add(block, position)

    def blocks(self) -> list[ContextBlock]:
        return self.desk().blocks

    def find(self, label: str) -> ContextBlock | None:
        return next((block for block in self.blocks() if block.label == label), None)

    def write(self, label: str, text: str, *, append: bool) -> ContextBlock:
        """
        :raises Invalid: if the text is none
        :raises UnknownBlock: if there is none of that label
        :raises Conflict: if an operator has to approve it first
        """
        if not isinstance(text, str):
            raise Invalid("content: must be a string", field="content")
        with self._writing:
            block = find_in(self.blocks(), label)
            written = write_text(block, text, AUTHOR, append=append)
        if isinstance(written, HeldWrite):
            raise Conflict(
                f'What was to be written to "{label}" looks like prompt injection: '
                "an operator has to approve it",
                label=label,
            )
        return find_in(self.blocks(), label)

    def freeze(self) -> str:
        """Return the frozen prompt; the first call renders it."""
        frozen = self._kept()
        return self.refresh() if frozen is None else frozen

    def refresh(self) -> str:
        """Render the prompt anew, and freeze that."""
        text = self.render()
        self._keep(text)
        return text

    def renew(self) -> None:
        """Refresh the prompt, if one was frozen."""
        if self._kept() is not None:
            self.refresh()

    def tools(self) -> dict[str, Tool]:
        """Return the tools that the blocks need, by their names."""
        return {
            each.name: Tool(
                each.description, each.input_schema, self._executor(each.name)
            )
            for each in define_tools(self.desk())
        }

    def loaded(self) -> list[Skill]:
        return self.desk().loaded

    def _executor(self, name: str) -> Callable[[Any], str]:
        def execute(arguments: Any) -> str:
            with self._writing if name == SET else nullcontext():
                return run_tool(self.desk(), name, arguments)

        return execute

    def _kept(self) -> str | None:
        if self._store is not None:
            kept: str | None = self._store.get()
            return kept
        return self._frozen

    def _keep(self, text: str) -> None:
        if self._store is not None:
            self._store.set(text)
        else:
            self._frozen = text

    def _take_out(self, label: str) -> bool:
        """Take a block of the host's own out of the prompt."""
        kept = [block for block in self.own if block.label != label]
        removed = len(kept) < len(self.own)
        self.own = kept
        return removed
