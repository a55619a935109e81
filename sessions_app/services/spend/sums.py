"""What a sum over calls of models is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(slots=True)
class Sums:
    """
    ``cost_nanos`` is None where no call has a price; ``unpriced`` are those without.

    ``computed_nanos`` is what our price list says of the calls that it knows.
    """

    calls: int = 0
    unpriced: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost_nanos: int | None = None
    computed_nanos: int = 0

    @property
    def prompt_tokens(self) -> int:
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    @property
    def cache_hit_rate(self) -> float | None:
        """Return which part of the prompts was read from a cache."""
        prompt = self.prompt_tokens
        return self.cache_read_tokens / prompt if prompt else None

    def add(self, other: Sums) -> None:
        for name in NAMES:
            ours, theirs = getattr(self, name), getattr(other, name)
            if theirs is not None:
                setattr(self, name, (ours or 0) + theirs)


NAMES = tuple(field.name for field in fields(Sums))


def sums_from(row: Iterable[int | None]) -> Sums:
    """Return the sums of a query's row, in the order of their fields; NULL is nothing."""
    # PostgreSQL adds whole numbers up to decimals.
    found = Sums(*(int(value or 0) for value in row))
    if found.calls == found.unpriced:
        found.cost_nanos = None
    return found


def sum_of(many: Iterable[Sums]) -> Sums:
    total = Sums()
    for each in many:
        total.add(each)
    return total
