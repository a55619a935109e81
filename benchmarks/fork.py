"""Forking short and long histories."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.databases import Shelf, session_of, using
from benchmarks.measuring import interleave, micros, print_table, verdict
from sessions_app.models import Message, Session
from sessions_app.services.forest.forks import fork_session

MOST = 1.5


def run(shelf: Shelf) -> None:
    depths = (10, 1_000, 10_000 if shelf.quick else 100_000)
    with using(shelf.large()):
        session = session_of(shelf.large_sizes[-1])
        sides = {depth: forking(session, depth) for depth in depths}
        timings = interleave(sides, calls=100 if shelf.quick else 500)
    shortest = timings[depths[0]]
    rows = [
        [
            f"after {depth:,} messages",
            micros(timing.median),
            micros(timing.slowest(1)),
            verdict(timing.median, shortest.median, MOST),
        ]
        for depth, timing in timings.items()
    ]
    print_table("Fork (in memory)", ("", "median us", "p99 us", "ratio"), rows)


def forking(session: Session, depth: int) -> Callable[[], object]:
    uid = Message.objects.get(session=session, depth=depth - 1).uid
    return lambda: fork_session(session=session, at=uid)
