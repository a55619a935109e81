"""Finding blocks and entries, and keeping others from writing to them meanwhile."""

from __future__ import annotations

from context_app.models import Block, Entry
from sessions_app.errors import NotFound
from sessions_app.models import Agent, Session

Owner = Session | Agent


class UnknownBlock(NotFound):
    """The session, or the agent, has no block of that label."""


def blocks_of(owner: Owner) -> list[Block]:
    """Return what a session sees, or what belongs to an agent itself, in order."""
    if isinstance(owner, Session):
        return list(Block.objects.seen_by(owner))
    return list(Block.objects.of(owner))


def get_block(owner: Owner, label: str) -> Block:
    """
    Return a block that a session sees, or that belongs to an agent itself.

    :raises UnknownBlock: if there is none of that label
    """
    blocks = Block.objects
    seen = blocks.seen_by(owner) if isinstance(owner, Session) else blocks.of(owner)
    found = None if "\0" in label else seen.filter(label=label).first()
    if found is None:
        raise UnknownBlock(f'Block "{label}" not found', label=label)
    return found


def lock_block(block: Block) -> Block:
    """
    Return a block as it stands now, and keep others from writing to it.

    :raises UnknownBlock: if it has gone since it was found
    """
    try:
        return Block.objects.select_for_update(of=("self",)).get(pk=block.pk)
    except Block.DoesNotExist:
        raise UnknownBlock(f'Block "{block.label}" not found') from None


def get_entry(block: Block, key: str) -> Entry:
    """
    :raises NotFound: if the block has no such entry
    """
    found = None if "\0" in key else block.entries.filter(key=key).first()
    if found is None:
        raise NotFound(f'No entry "{key}" in block "{block.label}"', key=key)
    return found


def agent_id_of(block: Block) -> int:
    """Return whose block it is in the end."""
    agent_id = block.session.agent_id if block.session else block.agent_id
    assert agent_id is not None  # noqa: S101 (a constraint of the database)
    return agent_id
