"""Whether an append costs more when there is more: in the session, or around it."""

from __future__ import annotations

from contextlib import ExitStack

from benchmarks.append import appender
from benchmarks.conversations import Conversation
from benchmarks.databases import Shelf, by_hand, session_of, using
from benchmarks.floor import AppendFloor
from benchmarks.measuring import (
    Timing,
    Work,
    interleave,
    micros,
    print_table,
    ratio,
    verdict,
)

MOST = 1.15
TURN = 10


def run(shelf: Shelf) -> None:
    calls = 300 if shelf.quick else 2_000
    sizes = shelf.large_sizes
    within = in_one_database(shelf, calls)
    around = in_databases(shelf, calls)
    rows = [
        *(row(f"{size:,} in the session", within, size, MOST) for size in sizes),
        *(row(f"{size:,} in the database", around, size) for size in sizes),
        *(
            row(f"{size:,} in the database, by hand", around, -size, None)
            for size in sizes
        ),
    ]
    header = ("An append with", "median us", "mean us", "p99 us", "ratio of medians")
    print_table("Growth (in memory)", header, rows)


def row(
    name: str, timings: dict[int, Timing], size: int, most: float | None = None
) -> list[str]:
    timing = timings[size]
    least = timings[min((key for key in timings if key * size > 0), key=abs)]
    return [
        name,
        micros(timing.median),
        micros(timing.mean),
        micros(timing.slowest(1)),
        verdict(timing.median, least.median, most)
        if most
        else ratio(timing.median, least.median),
    ]


def in_one_database(shelf: Shelf, calls: int) -> dict[int, Timing]:
    with using(shelf.large()):
        sides = {
            size: appender(session_of(size).id, calls + TURN)
            for size in shelf.large_sizes
        }
        return interleave(sides, calls=calls, turn=TURN)


def in_databases(shelf: Shelf, calls: int) -> dict[int, Timing]:
    """Return the times by the sizes of the databases; by hand, by minus the sizes."""
    timings: dict[int, Timing] = {}
    rounds = calls // 50
    with ExitStack() as stack:
        paths = {size: shelf.copy(size) for size in shelf.large_sizes}
        sides = {}
        floors = {}
        for size, path in paths.items():
            with using(path):
                session = session_of(size).id
            raw = stack.enter_context(by_hand(shelf.copy(size)))
            floors[-size] = AppendFloor(raw, session, Conversation(seed=1))
            floors[-size].prepare(calls + 10 * rounds, 1)
            sides[size] = appender(session, calls + 10 * rounds)
            timings[size], timings[-size] = Timing(), Timing()
        for _ in range(rounds):
            for size, path in paths.items():
                with using(path):
                    both: dict[int, Work] = {size: sides[size], -size: floors[-size]}
                    for key, timing in interleave(both, calls=50, turn=TURN).items():
                        timings[key].seconds.extend(timing.seconds)
    return timings
