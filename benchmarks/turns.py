"""A turn of several messages with its usage, beside an append of one."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from benchmarks.conversations import Conversation
from benchmarks.databases import Shelf, by_hand, session_of, using
from benchmarks.floor import AppendFloor
from benchmarks.measuring import Work, interleave, micros, print_table, ratio, verdict
from sessions_app.messages import Draft, read_message
from sessions_app.services.spend.usage import COUNTS, DEFAULTS, Tokens
from sessions_app.services.writing.appending import append_messages
from sessions_app.services.writing.turns import Spent, add_turn

MOST = 1.5


def run(shelf: Shelf) -> None:
    for on_disk in (False, True):
        turns(shelf, 100 if shelf.quick else 500, on_disk=on_disk)


def turns(shelf: Shelf, calls: int, *, on_disk: bool) -> None:
    raws = iter(Conversation(seed=7).raws(calls * 40))
    details = {"model": "m", "provider": "openai"}
    spent = Spent(Tokens(100, 20, 300), None, None, None, details)

    def drafts(count: int) -> list[Draft]:
        return [read_message(next(raws), "message") for _ in range(count)]

    with ExitStack() as stack:
        floors = {
            "an append, by hand": floor(stack, shelf, calls, on_disk=on_disk),
            "a turn of 4 with usage, by hand": floor(
                stack, shelf, calls, on_disk=on_disk, spent=spent
            ),
        }
        stack.enter_context(using(shelf.copy(1_000, on_disk=on_disk)))
        session = session_of(1_000)
        ours: dict[str, Work] = {
            "an append": lambda: append_messages(
                session_id=session.id, drafts=drafts(1)
            ),
            "a turn of 4 with usage": lambda: add_turn(
                session=session, drafts=drafts(4), spent=spent
            ),
        }
        timings = interleave({**ours, **floors}, calls=calls, waits=on_disk)
    rows = []
    for sides, most in ((ours, MOST), (floors, None)):
        append, turn = (timings[name].median for name in sides)
        shown = verdict(turn, append, most) if most else ratio(turn, append)
        rows += [
            [name, micros(timings[name].median), mark]
            for name, mark in zip(sides, ("1.00", shown), strict=True)
        ]
    place = "on disk" if on_disk else "in memory"
    print_table(f"A turn ({place})", ("", "median us", "ratio"), rows)


def floor(
    stack: ExitStack,
    shelf: Shelf,
    calls: int,
    *,
    on_disk: bool,
    spent: Spent | None = None,
) -> Work:
    """Return what appends a message, or a turn of 4 with usage, by hand."""
    path = shelf.copy(1_000, on_disk=on_disk)
    with using(path):
        session = session_of(1_000).id
        row = values_of(session, spent) if spent else None
    raw = stack.enter_context(by_hand(path))
    work = AppendFloor(raw, session, Conversation(seed=2), row)
    work.prepare(calls + 10, 4 if spent else 1)
    return work


def values_of(session: int, spent: Spent) -> dict[str, Any]:
    """Return what the ledger's statement takes."""
    return {
        **DEFAULTS,
        **{name: getattr(spent.tokens, name) for name in COUNTS},
        **spent.details,
        "session_id": session,
        "created_at": 1_790_000_000_000,
    }
