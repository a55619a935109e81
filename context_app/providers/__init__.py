"""
What can stand behind a block: each a class of one shape (``shapes.Provider``).

To add one: a file, and a line here. A stored block names its own by its source, or
where its entries are its own by its kind. ``python.PythonBlock`` is not stored: it
wraps an object of the host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from context_app.models import Block
from context_app.providers.history import History
from context_app.providers.notes import StoredNotes
from context_app.providers.python import PythonBlock
from context_app.providers.shapes import Listed, Provider, StorageUnavailable
from context_app.providers.skills import StoredSkills
from context_app.providers.storage import StorageSkills
from context_app.providers.text import StoredText

PROVIDERS: Mapping[str, Callable[[Block], Provider]] = {
    "readonly": StoredText,
    "writable": StoredText,
    "skill": StoredSkills,
    "search": StoredNotes,
    "storage": StorageSkills,
    "history": History,
}


def provider_of(block: Block) -> Provider:
    own = block.source == Block.Source.OWN
    return PROVIDERS[block.kind if own else block.source](block)


__all__ = [
    "PROVIDERS",
    "Listed",
    "Provider",
    "PythonBlock",
    "StorageUnavailable",
    "provider_of",
]
