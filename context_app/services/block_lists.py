"""Blocks with what is counted of them, for lists that a person reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from context_app.models import Block, Entry, HeldWrite, Version
from context_app.services.finding import Owner, blocks_of
from sessions_app.models import Session


@dataclass(frozen=True, slots=True)
class ListedBlock:
    """``sessions`` is how many see it: of a shared one all of its agent's."""

    block: Block
    entries: int
    held: int
    sessions: int

    @property
    def scope(self) -> str:
        if self.block.session_id:
            return "session"
        return "shared" if self.block.shared else "template"

    @property
    def is_written(self) -> bool:
        """Say whether anything was ever written to it."""
        return self.block.version > 1 or bool(self.block.content or self.entries)


def list_blocks(owner: Owner) -> list[ListedBlock]:
    """Return what a session sees, or what is an agent's own, in the prompt's order."""
    blocks = blocks_of(owner)
    ids = [block.pk for block in blocks]
    entries = dict(
        Entry.objects.filter(block__in=ids)
        .values_list("block")
        .annotate(count=Count("id"))
    )
    held = dict(
        HeldWrite.objects.filter(block__in=ids, state=HeldWrite.State.HELD)
        .values_list("block")
        .annotate(count=Count("id"))
    )
    seeing = _sessions_of(blocks)
    return [
        ListedBlock(
            block=block,
            entries=entries.get(block.pk, 0),
            held=held.get(block.pk, 0),
            sessions=1 if block.session_id else seeing if block.shared else 0,
        )
        for block in blocks
    ]


def count_versions(block: Block) -> int:
    """Return how many versions there are of a block and of all its entries."""
    return Version.objects.filter(block=block).count()


def _sessions_of(blocks: Sequence[Block]) -> int:
    """Return how many sessions see what the agent of these blocks shares."""
    agent = next((block.agent_id for block in blocks if block.shared), None)
    return Session.objects.living().filter(agent=agent).count() if agent else 0
