"""
Entries that are files.

What a write is to make of one is noted first, in a transaction, so that of two who
write at once the second knows; then it is written, with none open, since a bucket may
be slow. Where that fails the note is taken back.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import transaction
from django.utils.timezone import now

from context_app.authors import Author
from context_app.models import Block, Entry, HeldWrite, Version
from context_app.providers import StorageUnavailable
from context_app.providers.front_matter import description_of, with_description
from context_app.providers.storage import Document, StorageSkills, check_key
from context_app.services.finding import lock_block
from context_app.services.quarantine import hold
from context_app.services.rules import (
    check_limit,
    check_version,
    findings_in,
    must_be_held,
)
from context_app.services.versions import record_entry, versions_of
from sessions_app.errors import NotFound
from sessions_app.tokens import text_tokens

# Who wrote a file that came into the storage some other way.
STORAGE = Author("storage")


def set_file(
    *,
    block: Block,
    key: str,
    content: str,
    description: str | None,
    author: Author,
    version: int | None = None,
) -> Entry | HeldWrite:
    """
    Write a document, as ``entries.set_entry`` writes an entry.

    :raises StorageUnavailable: if the storage fails
    """
    check_limit(block.label, block.max_tokens, content)
    check_key(key)
    files = StorageSkills(block)
    before = files.find(key)
    if description is None:
        description = before.description if before else ""
    # A document's own front matter says what it is.
    description = description_of(content) or description
    if held := must_be_held(
        block,
        author,
        (key, key if before else ""),
        (content, before.text if before else ""),
        (description, before.description if before else ""),
    ):
        check_version(f'Entry "{key}"', version, version_of(block, key, before))
        return hold(
            block=block,
            action=HeldWrite.Action.ENTRY,
            key=key,
            content=content,
            description=description,
            findings=held,
            author=author,
        )
    entry = Entry(block=block, key=key, content=content, description=description)
    entry.findings = findings_in(block, key, content, description)
    with _noted(entry, before, version, author):
        files.put(key, content, description)
    renew_listing(block)
    return entry


def delete_file(*, block: Block, key: str, author: Author) -> None:
    """
    Delete a document; what it was is kept, and it can be had back.

    :raises NotFound: if there is no such document
    :raises StorageUnavailable: if the storage fails
    """
    files = StorageSkills(block)
    before = files.find(key)
    if before is None:
        raise NotFound(f'No entry "{key}" in block "{block.label}"', key=key)
    with _noted(Entry(block=block, key=key), before, None, author, deleted=True):
        files.remove(key)
    renew_listing(block)


def read_file(block: Block, key: str) -> Entry:
    """
    :raises NotFound: if there is no such document, or not for this block
    :raises StorageUnavailable: if the storage fails
    """
    files = StorageSkills(block)
    found = files.find(key) if files.may_read(key) else None
    if found is None:
        raise NotFound(f'No entry "{key}" in block "{block.label}"', key=key)
    return Entry(
        block=block,
        key=key,
        content=found.text,
        description=found.description,
        tokens=text_tokens(found.text),
        version=version_of(block, key, found),
    )


def version_of(block: Block, key: str, found: Document | None) -> int:
    """
    Return the version of what was found in the storage, 0 for nothing.

    What came there some other way has none yet: it gets the next one.
    """
    if found is None:
        return 0
    newest = versions_of(block, key).order_by("-version").first()
    if newest is None:
        return 1
    return newest.version if _is(newest, found) else newest.version + 1


def note_content(block: Block, content: str) -> None:
    """Keep what a storage was seen to hold, for when it is not to be asked."""
    tokens = text_tokens(content)
    Block.objects.filter(pk=block.pk).update(
        content=content, tokens=tokens, updated_at=now()
    )
    block.content, block.tokens = content, tokens


def renew_listing(block: Block) -> None:
    """Have a block show what its storage holds now, if that can be had."""
    with suppress(StorageUnavailable):
        note_content(block, StorageSkills(block).get() or "")


@contextmanager
def _noted(
    entry: Entry,
    before: Document | None,
    version: int | None,
    author: Author,
    *,
    deleted: bool = False,
) -> Iterator[None]:
    """Note what is about to be written, and what was there; not so if it fails."""
    with transaction.atomic():
        block = entry.block = lock_block(entry.block)
        current = version_of(block, entry.key, before)
        check_version(f'Entry "{entry.key}"', version, current)
        newest = versions_of(block, entry.key).order_by("-version").first()
        number = newest.version if newest else 0
        if before is not None and number < current:
            record_entry(_entry(block, entry.key, before, current), STORAGE)
        entry.version = max(number, current) + 1
        entry.tokens = text_tokens(entry.content)
        entry.updated_at = now()
        if before is None:
            entry.created_at = entry.updated_at
        noted = record_entry(entry, author, deleted=deleted)
    try:
        yield
    except BaseException:
        noted.delete()
        raise


def _entry(block: Block, key: str, found: Document, version: int) -> Entry:
    return Entry(
        block=block,
        key=key,
        content=found.text,
        description=found.description,
        version=version,
        findings=findings_in(block, key, found.text, found.description),
    )


def _is(version: Version, found: Document) -> bool:
    """Say whether a document is as a version made it."""
    texts = version.content, with_description(version.content, version.description)
    return not version.deleted and found.text in texts
