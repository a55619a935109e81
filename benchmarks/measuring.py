"""Timing things side by side, and printing what came out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Work = Callable[[], object]
Name = TypeVar("Name")


@dataclass(slots=True)
class Timing:
    """How long each of many calls took, in seconds."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.seconds)

    def slowest(self, percent: float) -> float:
        """Return what all but the slowest ``percent`` of the calls stayed below."""
        ranked = sorted(self.seconds)
        return ranked[min(len(ranked) - 1, int(len(ranked) * (1 - percent / 100)))]


def interleave(
    sides: Mapping[Name, Work],
    *,
    calls: int,
    turn: int = 5,
    warm: int = 2,
    waits: bool = False,
) -> dict[Name, Timing]:
    """
    Time the sides in turns of a few calls: A, B, A, B and so on.

    So what disturbs the machine for a moment disturbs all of them. Work that
    ``waits``, for a disk or a server, is timed by the clock; the rest by what it
    takes of a processor, which other programs hardly change.
    """
    clock = by_clock if waits else by_processor
    for work in sides.values():
        for _ in range(warm):
            work()
    timings = {name: Timing() for name in sides}
    for _ in range(max(1, calls // turn)):
        for name, work in sides.items():
            timings[name].seconds.extend(clock(work) for _ in range(turn))
    return timings


def by_clock(work: Work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def by_processor(work: Work) -> float:
    started = time.thread_time()
    work()
    return time.thread_time() - started


def micros(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f}"


def ratio(of: float, to: float) -> str:
    return f"{of / to:.2f}"


def verdict(of: float, to: float, most: float) -> str:
    """Return a ratio, and whether it keeps to its target."""
    return f"{of / to:.2f} ({'holds' if of / to <= most else 'MISSED'}: {most:g})"


def print_table(
    title: str, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Print a table; all columns but the first are set to the right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    print(f"\n## {title}\n")
    for row in (header, ["-" * width for width in widths], *rows):
        first, *others = zip(row, widths, strict=True)
        cells = [
            first[0].ljust(first[1]),
            *(cell.rjust(width) for cell, width in others),
        ]
        print("  ".join(cells).rstrip())
