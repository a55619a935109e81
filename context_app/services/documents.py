"""What search finds of entries; call these inside the transaction that writes them."""

from __future__ import annotations

from collections.abc import Sequence

from context_app import sql
from context_app.models import Block, Entry
from context_app.providers.notes import KIND
from sessions_app import search
from sessions_app import sql as statements
from sessions_app.messages import MAX_TEXT


def put_documents(entries: Sequence[Entry]) -> None:
    search.put(KIND, [(entry.pk, _text(entry)) for entry in entries])


def copy_documents(block: Block, copy: Block) -> None:
    """Let the entries of a copy be found as those that they are copies of."""
    pairs = statements.rows(sql.COPIED, block=block.pk, copy=copy.pk)
    search.copy(pairs, kind=KIND)


def drop_document(entry: Entry) -> None:
    search.drop(KIND, [entry.pk])


def drop_documents(blocks: Sequence[Block]) -> None:
    """Take along what is found of the entries of blocks that are about to go."""
    entries = Entry.objects.filter(block__in=blocks)
    search.drop(KIND, list(entries.values_list("pk", flat=True)))


def _text(entry: Entry) -> str:
    pieces = (entry.key, entry.description, entry.content)
    return "\n".join(filter(None, pieces))[:MAX_TEXT]
