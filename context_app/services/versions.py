"""The history of what was written to a block and to its entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from context_app import sql
from context_app.authors import Author
from context_app.diffs import diff
from context_app.models import Block, Entry, Version
from sessions_app import sql as statements
from sessions_app.errors import NotFound
from sessions_app.models.fields import now_millis


def record_block(block: Block, author: Author) -> Version:
    """Note what a write made of a block."""
    return Version.objects.create(
        block=block,
        version=block.version,
        description=block.description,
        content="" if block.is_keyed else block.content,
        findings=block.findings,
        author=str(author),
        created_at=block.updated_at,
    )


def record_entry(entry: Entry, author: Author, **fields: Any) -> Version:
    """Note what a write made of an entry."""
    return Version.objects.create(
        block=entry.block,
        key=entry.key,
        version=entry.version,
        description=entry.description,
        content=entry.content,
        findings=entry.findings,
        author=str(author),
        created_at=entry.updated_at,
        **fields,
    )


def next_version(block: Block, key: str) -> int:
    """Return the number of an entry's next version; numbers go on where it was deleted."""
    newest = versions_of(block, key).order_by("-version").first()
    return newest.version + 1 if newest else 1


def versions_of(block: Block, key: str = "") -> QuerySet[Version]:
    return Version.objects.filter(block=block, key=key)


def get_version(block: Block, version: int, key: str = "") -> Version:
    """
    :raises NotFound: if there is no such version
    """
    found = versions_of(block, key).filter(version=version).first()
    if found is None:
        what = f'entry "{key}"' if key else f'block "{block.label}"'
        raise NotFound(f"No version {version} of {what}", version=version)
    return found


def diff_of(version: Version, against: int | None = None) -> str:
    """Return what changed from one version, by default the one before, to another."""
    older = versions_of(version.block, version.key)
    if against is None:
        base = older.filter(version__lt=version.version).order_by("-version").first()
    else:
        base = get_version(version.block, against, version.key)
    return diff(base.content if base else "", version.content)


def record_first(blocks: Sequence[Block], author: Author) -> None:
    """Note the first versions of new blocks, and of their entries."""
    Version.objects.bulk_create(
        Version(
            block=block,
            version=1,
            description=block.description,
            content="" if block.is_keyed else block.content,
            findings=block.findings,
            author=str(author),
        )
        for block in blocks
    )
    for block in blocks:
        if block.is_keyed:
            statements.execute(
                sql.FIRST_VERSIONS,
                block=block.pk,
                author=str(author),
                now=now_millis(),
            )
