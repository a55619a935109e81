"""What a transcript is made of: rows, and what stands for those that are not shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sessions_app.dash.rendering.markdown import first_words
from sessions_app.dash.session.transcript.rows import Row
from sessions_app.models import Compaction
from sessions_app.services.browsing.windows import LIMIT, Path
from sessions_app.services.compaction.layers import Layer

# Of a longer summary this much is on the page at first.
MOST_SUMMARY = 4_000


@dataclass(slots=True)
class Gap:
    """
    Messages that are not shown, by their numbers.

    ``before`` and ``after`` are the messages beside them, of which one is known.
    """

    kind = "gap"
    first: int
    last: int
    tokens: int | None
    before: str = ""
    after: str = ""
    is_head: bool = False
    is_covered: bool = False

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def next_count(self) -> int:
        return min(self.count, LIMIT)


@dataclass(slots=True)
class Band:
    """A compaction, and whether what it covers is unfolded beneath."""

    kind = "band"
    compaction: Compaction
    first: int
    last: int
    is_open: bool
    # Known where there are others inside it.
    layer: Layer | None = None

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def uncovered(self) -> int:
        """Return how many messages the model reads again without it."""
        return self.layer.uncovered[0] if self.layer else self.count

    @property
    def inner(self) -> int:
        return self.layer.uncovered[1] if self.layer else 0

    @property
    def revealed(self) -> int:
        """Return the tokens of what it reads again."""
        return self.layer.revealed if self.layer else self.compaction.tokens_before

    @property
    def summary(self) -> str:
        return self.compaction.summary[:MOST_SUMMARY]

    @property
    def is_cut(self) -> bool:
        return len(self.compaction.summary) > MOST_SUMMARY

    @property
    def beginning(self) -> str:
        """Return its first words as plain text."""
        return first_words(self.compaction.summary)


@dataclass(slots=True)
class Rows:
    kind = "rows"
    rows: list[Row]
    is_covered: bool = False


Item = Gap | Band | Rows


@dataclass(slots=True)
class Transcript:
    """What is shown of a path, root first."""

    path: Path
    items: list[Item] = field(default_factory=list)

    @property
    def bands(self) -> list[Band]:
        return [item for item in self.items if isinstance(item, Band)]

    @property
    def rows(self) -> list[Row]:
        return [
            row for item in self.items if isinstance(item, Rows) for row in item.rows
        ]


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks for: a message, what lies beside one, compactions unfolded."""

    leaf: str
    message: str | None = None
    before: str | None = None
    after: str | None = None
    opened: Sequence[str] = ()
