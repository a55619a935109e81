"""How full a block is, as somebody types."""

from __future__ import annotations

from typing import NamedTuple

from context_app.models import Block
from sessions_app.tokens import text_tokens


class Count(NamedTuple):
    tokens: int
    limit: int | None

    @property
    def left(self) -> int:
        return (self.limit or 0) - self.tokens

    @property
    def over(self) -> int:
        return max(-self.left, 0)

    @property
    def state(self) -> str:
        """Return nothing, "warn" from 85 % on, "bad" over the limit."""
        if self.limit is None:
            return ""
        if self.tokens > self.limit:
            return "bad"
        return "warn" if self.tokens >= 0.85 * self.limit else ""


def count_of(text: str, block: Block) -> Count:
    return Count(text_tokens(text), block.max_tokens)
