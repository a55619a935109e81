"""Changing blocks that are one text, and what is said of any block."""

from __future__ import annotations

from django.db import transaction
from django.utils.timezone import now
from msgspec import UNSET, UnsetType

from context_app.authors import Author
from context_app.models import Block, HeldWrite
from context_app.services.finding import lock_block
from context_app.services.quarantine import hold
from context_app.services.rules import (
    check_entries,
    check_limit,
    check_takes_text,
    check_text,
    check_version,
    findings_of,
    must_be_held,
)
from context_app.services.versions import get_version, record_block


@transaction.atomic
def set_block(
    *, block: Block, content: str, author: Author, version: int | None = None
) -> Block | HeldWrite:
    """
    Write a block anew; with ``version`` only if that is the one which is there.

    :returns: a held write, if it looks like prompt injection and is to be approved
    :raises VersionMismatch: if it was written since
    :raises ReadonlyBlock: if only an operator may write it
    :raises KeyedBlock: if it holds entries
    :raises ExceedsMaxTokens: if that is more than it may take
    """
    block = lock_block(block)
    check_takes_text(block, author)
    check_version(f'Block "{block.label}"', version, block.version)
    return _write(block, author, content=content)


@transaction.atomic
def append_block(
    *, block: Block, content: str, author: Author, version: int | None = None
) -> Block | HeldWrite:
    """
    Add to the end of a block, on a new line; returns and raises as ``set_block``.
    """
    block = lock_block(block)
    check_takes_text(block, author)
    check_version(f'Block "{block.label}"', version, block.version)
    whole = _joined(block.content, content)
    held = must_be_held(block, author, (whole, block.content))
    if held:
        # It is added to what stands there when it is approved.
        check_text(content, "content")
        check_limit(block.label, block.max_tokens, whole)
        return hold(
            block=block,
            action=HeldWrite.Action.APPEND,
            content=content,
            findings=held,
            author=author,
        )
    return _write(block, author, content=whole)


@transaction.atomic
def update_block(
    *,
    block: Block,
    author: Author,
    description: str | None = None,
    max_tokens: int | UnsetType | None = UNSET,
    position: int | None = None,
    content: str | None = None,
    version: int | None = None,
) -> Block | HeldWrite:
    """
    Change the fields that are given; returns and raises as ``set_block``.

    :raises ExceedsMaxTokens: if what stands there is more than the new limit
    """
    block = lock_block(block)
    check_version(f'Block "{block.label}"', version, block.version)
    if content is not None:
        check_takes_text(block, author)
    if max_tokens is not UNSET:
        block.max_tokens = max_tokens
        check_limit(
            block.label, max_tokens, block.content if content is None else content
        )
        check_entries(block)
    if position is not None:
        block.position = position
    block.updated_at = now()
    block.save(update_fields=["max_tokens", "position", "updated_at"])
    if description is None and content is None:
        return block
    return _write(block, author, content=content, description=description)


@transaction.atomic
def revert_block(*, block: Block, version: int, author: Author) -> Block | HeldWrite:
    """
    Write a block as it was in a version, which makes a new version.

    :raises NotFound: if it has no such version
    """
    block = lock_block(block)
    past = get_version(block, version)
    if block.is_keyed:
        return _write(block, author, description=past.description)
    check_takes_text(block, author)
    return _write(block, author, content=past.content, description=past.description)


def _joined(content: str, text: str) -> str:
    between = "\n" if content and not text.startswith("\n") else ""
    return content + between + text


def _write(
    block: Block,
    author: Author,
    *,
    content: str | None = None,
    description: str | None = None,
) -> Block | HeldWrite:
    """Hold the write or carry it out; None leaves a text as it is."""
    new_content = block.content if content is None else content
    new_description = block.description if description is None else description
    check_text(new_content, "content")
    check_text(new_description, "description")
    tokens = check_limit(block.label, block.max_tokens, new_content)
    held = must_be_held(
        block,
        author,
        (new_content, block.content),
        (new_description, block.description),
    )
    if held:
        return hold(
            block=block,
            action=HeldWrite.Action.SET,
            content=content,
            description=description,
            findings=held,
            author=author,
        )
    block.content, block.tokens, block.description = (
        new_content,
        tokens,
        new_description,
    )
    block.findings = findings_of(block)
    block.version += 1
    block.updated_at = now()
    block.save(
        update_fields=[
            "content",
            "tokens",
            "description",
            "findings",
            "version",
            "updated_at",
        ]
    )
    record_block(block, author)
    return block
