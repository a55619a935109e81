"""Looking at entries, wherever they are."""

from __future__ import annotations

from context_app.models import Block, Entry
from context_app.providers import Listed, provider_of
from context_app.providers.notes import BEST, find
from context_app.providers.storage import MOST, StorageSkills
from context_app.services.files import read_file
from context_app.services.finding import get_entry
from context_app.services.rules import NotKeyed

NOTHING = "No results found."


class NotSearchable(NotKeyed):
    code = "not_searchable"


def page_of_files(
    block: Block, limit: int, after: str = ""
) -> tuple[list[Entry], str | None]:
    """
    Return documents of a storage by name, without their content, and the name that
    the next page follows.
    """
    files = StorageSkills(block)
    keys = [key for key in files.names() if key > after]
    shown = [_listed(block, each) for each in files.describe(keys[:limit])]
    return shown, keys[limit - 1] if len(keys) > limit else None


def find_files(block: Block, words: str) -> list[Entry]:
    """Return those whose name or description holds the words, of as many as are listed."""
    files, sought = StorageSkills(block), words.casefold()
    return [
        _listed(block, each)
        for each in files.describe(files.names()[:MOST])
        if sought in each.key.casefold() or sought in each.description.casefold()
    ]


def _listed(block: Block, each: Listed) -> Entry:
    return Entry(block=block, key=each.key, description=each.description)


def read_entry(block: Block, key: str) -> Entry:
    """
    :raises NotFound: if the block has no such entry
    """
    if block.source == Block.Source.STORAGE:
        return read_file(block, key)
    return get_entry(block, key)


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
