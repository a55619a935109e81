"""Looking at entries, wherever they are."""

from __future__ import annotations

from context_app.models import Block, Entry
from context_app.providers import provider_of
from context_app.providers.notes import BEST, find
from context_app.providers.storage import StorageSkills
from context_app.services.finding import get_entry
from context_app.services.rules import NotKeyed
from sessions_app.errors import NotFound
from sessions_app.tokens import text_tokens

NOTHING = "No results found."


class NotSearchable(NotKeyed):
    code = "not_searchable"


def page_of_files(block: Block) -> list[Entry] | None:
    """Return the documents of a storage without their content; None for other blocks."""
    if block.source != Block.Source.STORAGE:
        return None
    return [
        Entry(block=block, key=each.key, description=each.description)
        for each in StorageSkills(block).entries()
    ]


def read_entry(block: Block, key: str) -> Entry:
    """
    :raises NotFound: if the block has no such entry
    """
    if block.source != Block.Source.STORAGE:
        return get_entry(block, key)
    text = StorageSkills(block).load(key)
    if text is None:
        raise NotFound(f'No entry "{key}" in block "{block.label}"', key=key)
    return Entry(block=block, key=key, content=text, tokens=text_tokens(text))


def search_block(block: Block, query: str) -> tuple[list[Entry], str]:
    """
    Return the best entries, and what a model is told of them.

    :raises NotSearchable: if the block is not for searching
    :raises InvalidQuery: if the query cannot be answered as it stands
    """
    if not block.is_searchable:
        raise NotSearchable(f'Block "{block.label}" is not searchable')
    if block.source == Block.Source.HISTORY:
        return [], provider_of(block).search(query) or NOTHING
    found = find(block, query, BEST)
    return found, provider_of(block).search(query) or NOTHING
