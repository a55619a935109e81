from __future__ import annotations

from context_app.models import Block
from context_app.providers.shapes import Listed, listing


class StoredSkills:
    """Documents that a model loads by their keys; the prompt lists them."""

    def __init__(self, block: Block) -> None:
        self.block = block

    def get(self) -> str | None:
        # In the order of their making, so that a new one leaves what was cached alone.
        entries = self.block.entries.order_by("id").values_list("key", "description")
        return listing([Listed(*entry) for entry in entries])

    def load(self, key: str) -> str | None:
        entries = self.block.entries.filter(key=key)
        return entries.values_list("content", flat=True).first()

    def search(self, query: str) -> str | None:
        return None
