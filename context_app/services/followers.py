"""What memory does when something happens to a session: see sessions_app's followers."""

from __future__ import annotations

from collections.abc import Sequence

from context_app.models import Block, Entry, Prompt
from context_app.services import timeline
from context_app.services.documents import drop_documents, put_documents
from context_app.services.prompts import current_prompt, renew_frozen
from context_app.services.rules import check_entries, check_limit
from context_app.services.skills import forget_calls
from context_app.services.versions import copy_current
from sessions_app.models import Agent, Session
from sessions_app.services.forest import followers


def register() -> None:
    followers.created.append(copy_templates)
    followers.forked.append(copy_memory)
    followers.cleared.append(start_anew)
    followers.compacted.append(renew_frozen)
    followers.deleting.append(drop_memory)
    followers.agent_deleting.append(drop_memory_of)
    timeline.register()


def copy_templates(session: Session) -> None:
    """Give a new session its copies of its agent's templates."""
    templates = Block.objects.filter(agent=session.agent_id, shared=False)
    copy_blocks(list(templates.order_by("position", "id")), session, "template")


def copy_memory(session: Session, fork: Session) -> None:
    """
    Give a session that goes on from another its blocks, and the prompt in use.

    Shared blocks it sees in any case. Versions start anew: what was written before
    was written elsewhere.
    """
    # It may be a new session, which has had its templates.
    old = Block.objects.filter(session=fork)
    drop_documents(list(old))
    old.delete()
    own = Block.objects.filter(session=session).order_by("position", "id")
    copy_blocks(list(own), fork, f"fork of {session.key}")
    frozen = current_prompt(session)
    if frozen is not None:
        Prompt.objects.create(
            session=fork,
            version=1,
            text=frozen.text,
            sha256=frozen.sha256,
            tokens=frozen.tokens,
            hosted=frozen.hosted,
            frozen_at=frozen.frozen_at,
        )


def copy_blocks(sources: Sequence[Block], session: Session, why: str) -> None:
    """
    Make blocks of a session that are like others, with their entries.

    :raises ExceedsMaxTokens: if one is more than it may take
    """
    if not sources:
        return
    copies = [_copy_block(each, session) for each in sources]
    for source, copy in zip(sources, copies, strict=True):
        # What a storage holds, or how many sessions there are, is not a write's doing.
        if copy.source == Block.Source.OWN:
            check_limit(copy.label, copy.max_tokens, copy.content)
            check_entries(source)
    Block.objects.bulk_create(copies)
    by_source = {each.pk: copy for each, copy in zip(sources, copies, strict=True)}
    entries = [
        _copy_entry(entry, by_source[entry.block_id])
        for entry in Entry.objects.filter(block__in=sources).order_by("id")
    ]
    Entry.objects.bulk_create(entries)
    put_documents(entries)
    copy_current(copies, entries, why)


def start_anew(session: Session) -> None:
    """After a clear: the blocks stay, and the prompt shows them as they are now."""
    forget_calls(session)
    renew_frozen(session)


def drop_memory(session: Session) -> None:
    """Before a session goes: its rows go with it, what search finds must be told."""
    drop_documents(list(Block.objects.filter(session=session)))


def drop_memory_of(agent: Agent) -> None:
    """Before an agent goes, its sessions gone already."""
    drop_documents(list(Block.objects.filter(agent=agent)))


def _copy_block(block: Block, session: Session) -> Block:
    return Block(
        session=session,
        label=block.label,
        description=block.description,
        kind=block.kind,
        source=block.source,
        storage=block.storage,
        max_tokens=block.max_tokens,
        position=block.position,
        content=block.content,
        tokens=block.tokens,
        findings=block.findings,
    )


def _copy_entry(entry: Entry, block: Block) -> Entry:
    return Entry(
        block=block,
        key=entry.key,
        description=entry.description,
        content=entry.content,
        tokens=entry.tokens,
        findings=entry.findings,
    )
