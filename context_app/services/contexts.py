"""All blocks that a session's prompt is made of, stored ones and a host's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context_app.authors import Author
from context_app.models import AgentPolicy, Block, Entry, HeldWrite
from context_app.providers import Provider, PythonBlock, provider_of
from context_app.scanning import fresh
from context_app.services.blocks import append_block, set_block
from context_app.services.entries import set_entry
from context_app.services.files import note_content
from context_app.services.finding import UnknownBlock
from context_app.services.policies import policy_of
from context_app.services.rules import KeyedBlock, ReadonlyBlock, check_limit
from sessions_app.errors import Invalid
from sessions_app.models import Session
from sessions_app.tokens import text_tokens

Written = Block | Entry | HeldWrite | None


class Suspicious(Invalid):
    """A write that looks like prompt injection, to a block that cannot hold it back."""

    code = "suspicious"


@dataclass(slots=True)
class ContextBlock:
    """A block as a prompt and the tools see it, whatever stands behind it."""

    agent_id: int
    row: Block | PythonBlock
    provider: Provider
    label: str
    description: str
    content: str
    tokens: int
    max_tokens: int | None
    position: int
    writable: bool
    is_skill: bool
    is_searchable: bool

    @property
    def is_keyed(self) -> bool:
        return self.is_skill or self.is_searchable


def context_of(
    session: Session, own: Sequence[PythonBlock] = (), *, live: bool = False
) -> list[ContextBlock]:
    """
    Return the blocks of a session's prompt in order; ``own`` are the host's.

    ``live`` asks folders, buckets and the like what they hold now, which must not be
    done inside a transaction; ``keep_seen`` keeps it.
    """
    rows: list[Block | PythonBlock] = [*Block.objects.seen_by(session), *own]
    rows.sort(key=lambda row: row.position)
    return [context_block(session.agent_id, row, live=live) for row in rows]


def keep_seen(blocks: Sequence[ContextBlock]) -> None:
    """Keep what was seen of folders, buckets and the like, for when they are not asked."""
    for block in blocks:
        row = block.row
        if isinstance(row, Block) and block.content != row.content:
            note_content(row, block.content)


def find_in(blocks: Sequence[ContextBlock], label: str) -> ContextBlock:
    """
    :raises UnknownBlock: if there is none of that label
    """
    for block in blocks:
        if block.label == label:
            return block
    raise UnknownBlock(f'Block "{label}" not found', label=label)


def write_text(
    block: ContextBlock, content: str, author: Author, *, append: bool = False
) -> Written:
    """Write a block that is one text, stored or not; raises as ``blocks.set_block``."""
    row = block.row
    if isinstance(row, Block):
        write = append_block if append else set_block
        return write(block=row, content=content, author=author)
    if not block.writable:
        raise ReadonlyBlock(f'Block "{block.label}" is readonly')
    if block.is_keyed:
        raise KeyedBlock(
            f'Block "{block.label}" is a keyed provider. '
            "Use setSkill() or setSearchEntry() instead."
        )
    if append and block.content and not content.startswith("\n"):
        content = f"{block.content}\n{content}"
    elif append:
        content = block.content + content
    _check_not_suspicious(block, content, block.content)
    block.tokens = check_limit(block.label, block.max_tokens, content)
    row.set(content)
    block.content = content
    return None


def write_entry(
    block: ContextBlock, key: str, content: str, description: str | None, author: Author
) -> Written:
    """Write an entry of a keyed block; raises as ``entries.set_entry``."""
    row = block.row
    if isinstance(row, Block):
        return set_entry(
            block=row, key=key, content=content, description=description, author=author
        )
    if not block.writable:
        raise ReadonlyBlock(f'Block "{block.label}" does not support writes')
    for text in (key, content, description or ""):
        _check_not_suspicious(block, text)
    check_limit(block.label, block.max_tokens, content)
    row.put(key, content, description)
    return None


def _check_not_suspicious(block: ContextBlock, text: str, known: str = "") -> None:
    """
    Scan a write to a host's own block, which has no place for what is held.

    :raises Suspicious: if it looks like an injection, and the agent's are to be held
    """
    if policy_of(block.agent_id).scan != AgentPolicy.Scan.QUARANTINE:
        return
    if found := fresh(text, known):
        raise Suspicious(
            f'What was to be written to "{block.label}" looks like prompt injection',
            findings=[f.as_json() for f in found],
        )


def context_block(
    agent_id: int, row: Block | PythonBlock, *, live: bool = False
) -> ContextBlock:
    """Return a block as a prompt and the tools see it."""
    provider: Provider
    if isinstance(row, Block):
        provider = provider_of(row)
        content, tokens = row.content, row.tokens
        if live and row.source != Block.Source.OWN:
            content = provider.get() or ""
            tokens = text_tokens(content)
    else:
        provider = row
        content = row.get() or ""
        tokens = text_tokens(content)
    return ContextBlock(
        agent_id=agent_id,
        row=row,
        provider=provider,
        label=row.label,
        description=row.description,
        content=content,
        tokens=tokens,
        max_tokens=row.max_tokens,
        position=row.position,
        writable=row.writable,
        is_skill=row.is_skill,
        is_searchable=row.is_searchable,
    )
