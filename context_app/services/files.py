"""
Entries that are files: written to the storage first, and noted after.

No transaction is open meanwhile, since a bucket may be slow. What was written and not
noted is in the storage all the same, and the next refresh shows it.
"""

from __future__ import annotations

from django.db import transaction
from django.utils.timezone import now

from context_app.authors import Author
from context_app.models import Block, Entry, HeldWrite
from context_app.providers.storage import StorageSkills
from context_app.services.finding import lock_block
from context_app.services.quarantine import hold
from context_app.services.rules import check_limit, findings_in, must_be_held
from context_app.services.versions import next_version, record_entry
from sessions_app.errors import NotFound
from sessions_app.tokens import text_tokens


def set_file(
    *, block: Block, key: str, content: str, description: str | None, author: Author
) -> Entry | HeldWrite:
    """
    Write a document, as ``entries.set_entry`` writes an entry.

    :raises StorageUnavailable: if the storage fails
    """
    tokens = check_limit(block.label, block.max_tokens, content)
    files = StorageSkills(block)
    if description is None:
        description = files.describe(key)
    texts = (key, ""), (content, files.load(key) or ""), (description, "")
    if held := must_be_held(block, author, *texts):
        return hold(
            block=block,
            action=HeldWrite.Action.ENTRY,
            key=key,
            content=content,
            description=description,
            findings=held,
            author=author,
        )
    files.put(key, content, description)
    shown = files.get() or ""
    entry = Entry(
        block=block,
        key=key,
        content=content,
        description=description,
        tokens=tokens,
        findings=findings_in(block, key, content, description),
        updated_at=now(),
    )
    with transaction.atomic():
        entry.block = lock_block(block)
        entry.version = next_version(block, key)
        record_entry(entry, author)
        note_content(block, shown)
    return entry


def delete_file(*, block: Block, key: str) -> None:
    """
    :raises NotFound: if there is no such document
    """
    files = StorageSkills(block)
    if files.load(key) is None:
        raise NotFound(f'No entry "{key}" in block "{block.label}"', key=key)
    files.remove(key)
    note_content(block, files.get() or "")


@transaction.atomic
def note_content(block: Block, content: str) -> None:
    """Keep what a storage was seen to hold, for when it is not to be asked."""
    tokens = text_tokens(content)
    Block.objects.filter(pk=block.pk).update(
        content=content, tokens=tokens, updated_at=now()
    )
    block.content, block.tokens = content, tokens
