"""Eight clients that write to the real server at once."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from benchmarks.conversations import Conversation
from benchmarks.databases import Shelf, session_of, using
from benchmarks.measuring import Timing, by_clock, print_table
from benchmarks.serving import Client, Failed, Serving, serving
from sessions_app.models import Agent, Session
from sessions_app.services.forest.creating import create_session

WRITERS = 8
SIZE = 1_000
KEYS = [f"writer-{number}" for number in range(WRITERS)]


@dataclass
class Outcome:
    """What became of the messages of all writers."""

    timing: Timing = field(default_factory=Timing)
    errors: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def acknowledged(self) -> int:
        # Each writer's first message opens its connection, and is not timed.
        return len(self.timing.seconds) + WRITERS


def run(shelf: Shelf) -> None:
    messages = 40 if shelf.quick else 250
    rows = []
    for place, on_disk in (("in memory", False), ("on disk", True)):
        path = shelf.copy(SIZE, on_disk=on_disk)
        with using(path):
            for key in KEYS:
                create_session(agent=Agent.objects.get(), key=key)
        with serving(path) as server:
            apart = write(server, KEYS, messages, seed=1)
            together = write(server, [f"of-{SIZE}"] * WRITERS, messages, seed=2)
        rows += [
            row(f"to {WRITERS} sessions, {place}", apart),
            row(f"to one session, {place}", together),
        ]
        with using(path):
            grown = sum(Session.objects.values_list("message_count", flat=True)) - SIZE
            assert session_of(SIZE).message_count == SIZE + together.acknowledged
        assert grown == apart.acknowledged + together.acknowledged
    header = (
        f"{WRITERS} writers",
        "messages/s",
        "median ms",
        "p99 ms",
        "slowest",
        "errors (target 0)",
    )
    print_table("Concurrent appends over HTTP, one message a request", header, rows)


def row(name: str, outcome: Outcome) -> list[str]:
    timing = outcome.timing
    for error in outcome.errors[:3]:
        print(error)
    return [
        name,
        f"{len(timing.seconds) / outcome.seconds:,.0f}",
        f"{timing.median * 1e3:.1f}",
        f"{timing.slowest(1) * 1e3:.1f}",
        f"{max(timing.seconds) * 1e3:.1f}",
        str(len(outcome.errors)),
    ]


def write(server: Serving, keys: list[str], messages: int, seed: int) -> Outcome:
    """Let each writer append so many messages, all of them at the same time."""
    outcome = Outcome()
    ready = threading.Barrier(len(keys) + 1)

    def writer(number: int, key: str) -> None:
        raws = Conversation(seed=seed * 100 + number).raws(messages + 1)
        with Client(server) as client:
            client.append(key, raws.pop())
            ready.wait()
            for raw in raws:
                try:
                    seconds = by_clock(lambda raw=raw: client.append(key, raw))  # type: ignore[misc]
                except (Failed, OSError) as error:
                    outcome.errors.append(repr(error))
                else:
                    outcome.timing.seconds.append(seconds)

    threads = [threading.Thread(target=writer, args=each) for each in enumerate(keys)]
    for thread in threads:
        thread.start()
    ready.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    outcome.seconds = time.perf_counter() - started
    return outcome
