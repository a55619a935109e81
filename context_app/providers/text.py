from __future__ import annotations

from context_app.models import Block


class StoredText:
    """A block that is one text, which the model may write to or not."""

    def __init__(self, block: Block) -> None:
        self.block = block

    def get(self) -> str | None:
        return self.block.content

    def load(self, key: str) -> str | None:
        return None

    def search(self, query: str) -> str | None:
        return None
