from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from context_app.loading import Skill, find_loads
from context_app.rendering import render_prompt
from context_app.services.contexts import ContextBlock, context_block
from context_app.services.creating import BlockExists
from context_app.tools import Desk
from memoryhub.facade.builder import Plan
from memoryhub.facade.context.base import AUTHOR, Context
from memoryhub.facade.providers import BlockPlan
from memoryhub.facade.storage import SessionProvider
from sessions_app.errors import Invalid
from sessions_app.models import Session

# What was loaded or unloaded since the last append.
Calls = dict[Skill, bool]

# An agent that there is not: it has the policy of one for which nothing was set.
NOBODY = 0


@dataclass
class HostedDesk(Desk):
    storage: SessionProvider | None = None
    calls: Calls = field(default_factory=dict)

    @cached_property
    def blocks(self) -> list[ContextBlock]:
        rows = sorted(self.own, key=lambda row: row.position)
        return [context_block(NOBODY, row) for row in rows]

    @cached_property
    def loaded(self) -> list[Skill]:
        history = self.storage.get_history() if self.storage else []
        loaded = dict.fromkeys(find_loads(history).loaded, True) | self.calls
        return [skill for skill, is_loaded in loaded.items() if is_loaded]

    @cached_property
    def searches_sessions(self) -> bool:
        return False

    def note(self, skill: Skill, *, loaded: bool) -> None:
        self.calls[skill] = loaded


class HostedContext(Context):
    """Blocks that are all objects of the host."""

    def __init__(self, plan: Plan, storage: SessionProvider) -> None:
        super().__init__(plan)
        self.storage = storage
        self.calls: Calls = {}

    def desk(self) -> Desk:
        session = Session(agent_id=NOBODY)
        return HostedDesk(
            session, AUTHOR, self.own, storage=self.storage, calls=self.calls
        )

    def add(self, block: BlockPlan, position: int | None = None) -> None:
        if block.stored is not None:
            raise Invalid(
                f'add_context("{block.label}") requires an explicit provider when '
                "Session uses a SessionProvider"
            )
        if any(each.label == block.label for each in self.own):
            raise BlockExists(
                f'Block "{block.label}" already exists', label=block.label
            )
        if position is None:
            position = max((each.position for each in self.own), default=-1) + 1
        self.own.append(block.hosted(self.plan.session_id, position))

    def remove(self, label: str) -> bool:
        return self._take_out(label)

    def render(self) -> str:
        return render_prompt(self.blocks())
