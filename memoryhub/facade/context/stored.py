from __future__ import annotations

from contextlib import suppress

from context_app.authors import Author
from context_app.models import Block
from context_app.services.blocks import update_block
from context_app.services.creating import BlockExists, create_block
from context_app.services.deleted_blocks import delete_block
from context_app.services.prompts import (
    current_prompt,
    freeze_prompt,
    refresh_prompt,
    render,
)
from context_app.services.rules import ExceedsMaxTokens
from context_app.tools import Desk
from memoryhub.facade.builder import Plan
from memoryhub.facade.context.base import AUTHOR, Context
from memoryhub.facade.providers import BlockPlan, StoredProvider
from memoryhub.facade.storage.orm import AgentSessionProvider
from sessions_app.errors import Conflict
from sessions_app.models import Session
from sessions_app.services.registry.sessions import update_session

# What the host's code says of its blocks is not a model's to say.
DEVELOPER = Author("python", is_operator=True)


class StoredContext(Context):
    """Blocks, prompt and loaded skills as the API and the dashboard see them, too."""

    def __init__(self, plan: Plan, storage: AgentSessionProvider) -> None:
        super().__init__(plan)
        self.storage = storage

    def desk(self) -> Desk:
        return Desk(self.storage.row, AUTHOR, self.own)

    def prepare(self) -> None:
        row = self.storage.row
        self._set_threshold(row)
        there = {block.label: block for block in Block.objects.seen_by(row)}
        for position, plan in enumerate(self.plan.blocks):
            if plan.stored is None:
                self.add(plan, position)
            elif plan.label not in there:
                # Unless another process was faster, just now.
                with suppress(BlockExists):
                    self.add(plan, position)
            elif there[plan.label].session_id == row.id:
                self._update(there[plan.label], plan)

    def add(self, block: BlockPlan, position: int | None = None) -> None:
        row = self.storage.row
        others = [*Block.objects.seen_by(row), *self.own]
        if any(each.label == block.label for each in others):
            raise BlockExists(
                f'Block "{block.label}" already exists', label=block.label
            )
        if position is None:
            position = max((each.position for each in others), default=-1) + 1
        stored = block.stored
        if stored is not None:
            self._create(block, stored, position)
        else:
            self.own.append(block.hosted(self.storage.session_id, position))

    def remove(self, label: str) -> bool:
        if self._take_out(label):
            return True
        row = self.storage.row
        block = Block.objects.seen_by(row).filter(label=label).first()
        if block is None:
            return False
        if block.session_id != row.id:
            raise Conflict(f'Block "{label}" is shared by all sessions of its agent')
        delete_block(block=block, author=DEVELOPER)
        return True

    def render(self) -> str:
        return render(self.storage.row, self.own, live=True)

    def freeze(self) -> str:
        if not self._is_in_database:
            return super().freeze()
        return freeze_prompt(session=self.storage.row, own=self.own).text

    def refresh(self) -> str:
        if not self._is_in_database:
            return super().refresh()
        return refresh_prompt(session=self.storage.row, own=self.own).prompt.text

    @property
    def _is_in_database(self) -> bool:
        return self.plan.cached_prompt and self._store is None

    def _kept(self) -> str | None:
        if not self._is_in_database:
            return super()._kept()
        frozen = current_prompt(self.storage.row)
        return frozen.text if frozen else None

    def _set_threshold(self, row: Session) -> None:
        if self.plan.threshold is None:
            return
        # Where the host compacts by itself, the server's jobs need not.
        threshold = 0 if self.plan.compact else self.plan.threshold
        if row.compact_after != threshold:
            update_session(session=row, compact_after=threshold)

    def _create(self, block: BlockPlan, stored: StoredProvider, position: int) -> None:
        create_block(
            owner=self.storage.row,
            label=block.label,
            author=DEVELOPER,
            kind=stored.kind,
            source=stored.source,
            storage=stored.storage,
            description=block.description,
            max_tokens=block.max_tokens,
            position=position,
        )

    def _update(self, block: Block, plan: BlockPlan) -> None:
        """Have a block of an earlier run be as the code says now."""
        if plan.description and plan.description != block.description:
            update_block(block=block, author=DEVELOPER, description=plan.description)
        if plan.max_tokens is not None and plan.max_tokens != block.max_tokens:
            try:
                update_block(block=block, author=DEVELOPER, max_tokens=plan.max_tokens)
            except ExceedsMaxTokens:
                # Its text was there first: the old limit holds until it is shorter.
                return
