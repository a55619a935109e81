"""The entries of skill and search blocks."""

from __future__ import annotations

from django.db import transaction
from django.utils.timezone import now

from context_app.authors import Author
from context_app.models import Block, Entry, HeldWrite
from context_app.providers import provider_of
from context_app.services.documents import drop_document, put_documents
from context_app.services.files import delete_file, set_file
from context_app.services.finding import get_entry, lock_block
from context_app.services.quarantine import hold
from context_app.services.rules import (
    check_limit,
    check_takes_entries,
    check_text,
    check_version,
    findings_in,
    must_be_held,
)
from context_app.services.versions import get_version, next_version, record_entry
from sessions_app.errors import NotFound
from sessions_app.messages import check_name


def set_entry(
    *,
    block: Block,
    key: str,
    content: str,
    author: Author,
    description: str | None = None,
    version: int | None = None,
) -> Entry | HeldWrite:
    """
    Write an entry, or add it; with ``version`` only if that is the one which is there,
    0 standing for none. Without a description it keeps the one it has.

    :returns: a held write, if it looks like prompt injection and is to be approved
    :raises NotKeyed: if the block is one text
    :raises ReadonlyBlock: if its entries are not ours to write
    :raises ExceedsMaxTokens: if the entry, or what the prompt shows of all, is more
        than the block may take
    :raises VersionMismatch: if it was written since
    """
    check_name(key, "key", 200)
    check_text(content, "content")
    check_text(description or "", "description")
    check_takes_entries(block)
    if block.source == Block.Source.STORAGE:
        return set_file(
            block=block,
            key=key,
            content=content,
            description=description,
            author=author,
            version=version,
        )
    return _set_own(block, key, content, description, version, author)


@transaction.atomic
def _set_own(
    block: Block,
    key: str,
    content: str,
    description: str | None,
    version: int | None,
    author: Author,
) -> Entry | HeldWrite:
    block = lock_block(block)
    existing = block.entries.filter(key=key).first()
    check_version(f'Entry "{key}"', version, existing.version if existing else 0)
    tokens = check_limit(block.label, block.max_tokens, content)
    entry = existing or Entry(block=block, key=key)
    if description is None:
        description = entry.description
    is_listed = existing is not None and description == existing.description
    held = must_be_held(
        block,
        author,
        (key, entry.key if existing else ""),
        (content, entry.content),
        (description, entry.description),
    )
    if held:
        return hold(
            block=block,
            action=HeldWrite.Action.ENTRY,
            key=key,
            content=content,
            description=description,
            findings=held,
            author=author,
        )
    entry.block = block
    entry.content, entry.description, entry.tokens = content, description, tokens
    entry.findings = findings_in(block, key, content, description)
    entry.version = next_version(block, key)
    entry.updated_at = now()
    if existing is None:
        entry.created_at = entry.updated_at
    entry.save()
    put_documents([entry])
    record_entry(entry, author)
    if is_listed:
        # What the prompt shows is the same, which of many entries is long.
        block.updated_at = entry.updated_at
        block.save(update_fields=["updated_at"])
    else:
        renew_content(block)
    return entry


def delete_entry(*, block: Block, key: str, author: Author) -> None:
    """
    Delete an entry; its versions stay, and it can be had back.

    :raises NotFound: if there is no such entry
    """
    check_takes_entries(block)
    if block.source == Block.Source.STORAGE:
        delete_file(block=block, key=key, author=author)
    else:
        _delete_own(block, key, author)


@transaction.atomic
def _delete_own(block: Block, key: str, author: Author) -> None:
    block = lock_block(block)
    entry = get_entry(block, key)
    drop_document(entry)
    entry.version = next_version(block, key)
    entry.content = entry.description = ""
    entry.findings = []
    entry.updated_at = now()
    record_entry(entry, author, deleted=True)
    entry.delete()
    renew_content(block)


def revert_entry(
    *, block: Block, key: str, version: int, author: Author
) -> Entry | HeldWrite:
    """
    Write an entry as it was in a version, whether it is there now or was deleted.

    :raises NotFound: if it has no such version, or none that has a content
    """
    past = get_version(block, version, key)
    if past.deleted:
        raise NotFound(f'Version {version} of entry "{key}" is its deletion')
    return set_entry(
        block=block,
        key=key,
        content=past.content,
        description=past.description,
        author=author,
    )


def renew_content(block: Block) -> None:
    """
    Have a block show what its entries are now.

    :raises ExceedsMaxTokens: if that is more than the prompt may take
    """
    block.content = provider_of(block).get() or ""
    block.tokens = check_limit(block.label, block.max_tokens, block.content)
    block.updated_at = now()
    block.save(update_fields=["content", "tokens", "updated_at"])
