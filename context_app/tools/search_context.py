from __future__ import annotations

from context_app.services.contexts import ContextBlock
from context_app.tools.shapes import (
    Arguments,
    Desk,
    labels_of,
    of_labels,
    text_argument,
)
from sessions_app.formats import Definition

NAME = "search_context"
QUERY = {"type": "string", "description": "Words that must all be there"}
NOTHING = "No results found."


def define(desk: Desk) -> Definition | None:
    blocks = _searchable(desk)
    if not blocks:
        return None
    description = (
        f"Search for what was kept in: {labels_of(blocks)}. Only these can be searched."
    )
    return Definition(NAME, description, of_labels(blocks, query=QUERY))


def run(desk: Desk, arguments: Arguments) -> str:
    label, query = text_argument(arguments, "label"), text_argument(arguments, "query")
    blocks = _searchable(desk)
    block = next((block for block in blocks if block.label == label), None)
    if block is None:
        return f'Error: "{label}" is not searchable. Searchable blocks: {labels_of(blocks)}'
    return block.provider.search(query) or NOTHING


def _searchable(desk: Desk) -> list[ContextBlock]:
    return [block for block in desk.blocks if block.is_searchable]
