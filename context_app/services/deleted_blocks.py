"""Deleting a block so that it can be had back, for a month."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.core import serializers
from django.db import transaction
from django.db.models import Model
from django.utils.timezone import now

from context_app.authors import Author
from context_app.models import Block, DeletedBlock, Entry, HeldWrite, Version
from context_app.services.creating import check_label_is_free, lock_owner
from context_app.services.documents import drop_documents, put_documents
from context_app.services.finding import lock_block
from sessions_app.errors import NotFound
from sessions_app.services.jobs import periodic

HOUR = 3600.0
KEEP = timedelta(days=30)
# Rows that a purge takes in one transaction.
ROWS = 100


@transaction.atomic
def delete_block(*, block: Block, author: Author) -> DeletedBlock:
    """Delete a block with its entries and versions, and keep them to be had back."""
    block = lock_block(block)
    rows: list[Model] = [
        block,
        *Entry.objects.filter(block=block).order_by("pk"),
        *Version.objects.filter(block=block).order_by("pk"),
        *HeldWrite.objects.filter(block=block).order_by("pk"),
    ]
    aside = DeletedBlock.objects.create(
        session=block.session,
        agent=block.agent,
        label=block.label,
        rows=serializers.serialize("json", rows),
        author=str(author),
    )
    drop_documents([block])
    block.delete()
    return aside


@transaction.atomic
def restore(*, pk: int) -> Block:
    """
    Put a deleted block back as it was, keys and versions included.

    :raises NotFound: if it was restored already, or its time is over
    :raises BlockExists: if there is another block of its label by now
    """
    aside = (
        DeletedBlock.objects.select_related("session", "agent").filter(pk=pk).first()
    )
    if aside is None:
        raise NotFound("This block is back already, or its time is over")
    owner = aside.session or aside.agent
    assert owner is not None  # noqa: S101 (it was a block's)
    agent = lock_owner(owner)
    if not DeletedBlock.objects.filter(pk=pk).delete()[0]:
        raise NotFound("This block is back already")
    rows = _read(aside.rows)
    block: Block = rows[Block][0]
    check_label_is_free(owner, agent, block)
    for kind in (Block, Entry, Version, HeldWrite):
        kind.objects.bulk_create(rows[kind])
    put_documents(rows[Entry])
    return block


def forget(aside: DeletedBlock) -> None:
    """Delete what was kept of a block: for what is not to be kept, such as a password."""
    aside.delete()


@periodic(HOUR)
def purge_deleted_blocks() -> int:
    """Forget the blocks that were deleted a month ago; return how many."""
    old = DeletedBlock.objects.filter(created_at__lt=now() - KEEP).order_by("pk")
    count = 0
    while keys := list(old.values_list("pk", flat=True)[:ROWS]):
        count += DeletedBlock.objects.filter(pk__in=keys).delete()[0]
    return count


def _read(text: str) -> dict[Any, list[Any]]:
    """Return rows by their model; of what a newer release dropped nothing."""
    rows: dict[Any, list[Any]] = {Block: [], Entry: [], Version: [], HeldWrite: []}
    found: Iterable[Any] = serializers.deserialize("json", text, ignorenonexistent=True)
    for each in found:
        rows[type(each.object)].append(each.object)
    return rows
