"""Blocks of a session that are like others: an agent's templates, or another session's."""

from __future__ import annotations

from collections.abc import Sequence

from context_app import sql
from context_app.authors import Author
from context_app.models import Block
from context_app.services.documents import copy_documents
from context_app.services.rules import check_entries, check_limit
from context_app.services.versions import record_first
from sessions_app import sql as statements
from sessions_app.models import Session
from sessions_app.models.fields import now_millis


def copy_blocks(sources: Sequence[Block], session: Session, why: str) -> None:
    """
    Make blocks of a session that are like others, with their entries. Their versions
    start anew.

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
    for source, copy in zip(sources, copies, strict=True):
        if copy.is_keyed:
            statements.execute(
                sql.COPY_ENTRIES, block=source.pk, copy=copy.pk, now=now_millis()
            )
            copy_documents(source, copy)
    record_first(copies, Author(why))


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
