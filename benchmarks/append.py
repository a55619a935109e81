"""Appending, one message a time and a hundred at a time, beside the floor."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

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
from benchmarks.serving import Client, serving
from sessions_app.messages import read_message
from sessions_app.services.writing.appending import append_messages

Sides = dict[str, Work]

SIZE = 1_000
MOST = 2.0
HEADER = ("", "median us", "p99 us", "floor us", "p99", "ratio of medians")


def run(shelf: Shelf) -> None:
    calls = 200 if shelf.quick else 1_000
    rows = []
    for place, on_disk in (("in memory*", False), ("on disk", True)):
        for size in (1, 100):
            number = calls // (10 if size > 1 else 1)
            timings = in_process(shelf, on_disk=on_disk, size=size, calls=number)
            rows.append(row(f"{size} in process, {place}", timings, MOST))
        timings = over_http(shelf, on_disk=on_disk, calls=calls)
        rows.append(row(f"1 over HTTP, {place}", timings))
        health = timings["health"]
        rows.append([f"  GET /health, {place}", micros(health.median), "", "", "", ""])
    print_table("Append", HEADER, rows)


def row(name: str, timings: dict[str, Timing], most: float | None = None) -> list[str]:
    ours, floor = timings["ours"], timings["floor"]
    return [
        name,
        micros(ours.median),
        micros(ours.slowest(1)),
        micros(floor.median),
        micros(floor.slowest(1)),
        verdict(ours.median, floor.median, most)
        if most
        else ratio(ours.median, floor.median),
    ]


def in_process(
    shelf: Shelf, *, on_disk: bool, size: int, calls: int
) -> dict[str, Timing]:
    with ExitStack() as stack:
        floor = beside(stack, shelf, on_disk=on_disk, size=size, calls=calls)
        stack.enter_context(using(shelf.copy(SIZE, on_disk=on_disk)))
        ours = appender(session_of(SIZE).id, calls + 10, size)
        sides: Sides = {"ours": ours, "floor": floor}
        return interleave(sides, calls=calls, waits=on_disk)


def over_http(shelf: Shelf, *, on_disk: bool, calls: int) -> dict[str, Timing]:
    with ExitStack() as stack:
        floor = beside(stack, shelf, on_disk=on_disk, size=1, calls=calls)
        server = stack.enter_context(serving(shelf.copy(SIZE, on_disk=on_disk)))
        client = stack.enter_context(Client(server))
        waiting = Conversation(seed=1).raws(calls + 10)

        def ours() -> None:
            client.append(f"of-{SIZE}", waiting.pop())

        def health() -> None:
            client.request("GET", "/api/v1/health", signed=False)

        sides: Sides = {"ours": ours, "floor": floor, "health": health}
        return interleave(sides, calls=calls, waits=True)


def beside(
    stack: ExitStack, shelf: Shelf, *, on_disk: bool, size: int, calls: int
) -> AppendFloor:
    """Return the floor on a database like ours."""
    path = shelf.copy(SIZE, on_disk=on_disk)
    with using(path):
        session = session_of(SIZE).id
    raw = stack.enter_context(by_hand(path))
    floor = AppendFloor(raw, session, Conversation(seed=1))
    floor.prepare(calls + 10, size)
    return floor


def appender(session: int, calls: int, size: int = 1) -> Callable[[], None]:
    """Return what appends to a session as the API does, from the raw messages on."""
    conversation = Conversation(seed=1)
    waiting = [conversation.raws(size) for _ in range(calls)]

    def append() -> None:
        drafts = [read_message(raw, "message") for raw in waiting.pop()]
        append_messages(session_id=session, drafts=drafts)

    return append
