"""Reading histories, beside the same statement by hand and a join of its texts."""

from __future__ import annotations

from collections.abc import Callable

import orjson

from benchmarks.databases import Raw, Shelf, by_hand, session_of, using
from benchmarks.floor import named
from benchmarks.measuring import Timing, interleave, micros, print_table, ratio, verdict
from sessions_app.api.raw import items_json
from sessions_app.models import Message, Session
from sessions_app.services.compaction.overlays import add_compaction
from sessions_app.services.forest import history
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import ENDLESS, EVERYTHING, read_history
from sessions_app.sql import walks

MOST = 1.5
LAST = 50
VISIBLE = 100
STANDING = named(history.STANDING)
TEXTS = named(walks.PLAIN_BODIES).replace(
    "walk.message_id, NULL, message.body", "message.body"
)
ABOVE = named(history.ABOVE).replace(":message", ":leaf")

Sides = dict[str, Callable[[], object]]


def run(shelf: Shelf) -> None:
    path = shelf.copy(100, 1_000, 10_000) if not shelf.quick else shelf.copy(100, 1_000)
    sizes = [100, 1_000] if shelf.quick else [100, 1_000, 10_000]
    rows = []
    with using(path), by_hand(path) as raw:
        for size in sizes:
            sides = whole(raw, session_of(size), None)
            timings = interleave(sides, calls=max(20, 100_000 // size), turn=2)
            rows.append(row(f"{size:,} messages", timings))
    path = shelf.large()
    long = shelf.large_sizes[-1]
    with using(path), by_hand(path) as raw:
        timings = interleave(whole(raw, session_of(long), LAST), calls=1_000)
        rows.append(row(f"the last {LAST} of {long:,}", timings))
        compacted = {
            f"{size:,} compacted to {VISIBLE}": in_full(
                fork_compacted(session_of(long), size)
            )
            for size in (1_000, long // 2)
        }
        timings = interleave(compacted, calls=500)
        least = next(iter(timings.values()))
        for name, timing in timings.items():
            rows.append(
                [
                    name,
                    micros(timing.median),
                    "",
                    verdict(timing.median, least.median, 1.15),
                    "",
                ]
            )
    header = ("", "median us", "floor us", "ratio", "parsed and printed us")
    print_table("History, to the bytes of the response", header, rows)


def row(name: str, timings: dict[str, Timing]) -> list[str]:
    ours, floor, parsed = timings["ours"], timings["floor"], timings["parsed"]
    return [
        name,
        micros(ours.median),
        micros(floor.median),
        verdict(ours.median, floor.median, MOST),
        f"{micros(parsed.median)} ({ratio(parsed.median, floor.median)})",
    ]


def whole(raw: Raw, session: Session, limit: int | None) -> Sides:
    params = {
        "session": session.id,
        "leaf": session.head_id,
        "floor": EVERYTHING,
        "limit": ENDLESS if limit is None else limit,
    }

    def texts() -> list[str]:
        """Run what the service runs, but for what it wants beside the texts."""
        raw.execute(STANDING, params).fetchone()
        found = [text for (text,) in raw.execute(TEXTS, params)]
        if limit is not None:
            raw.execute(ABOVE, params).fetchone()
        found.reverse()
        return found

    def floor() -> bytes:
        return f'{{"items":[{",".join(texts())}]}}'.encode()

    def parsed() -> bytes:
        return orjson.dumps({"items": [orjson.loads(text) for text in texts()]})

    ours = in_full(session, limit)
    assert orjson.loads(ours())["items"] == orjson.loads(floor())["items"]
    return {"ours": ours, "floor": floor, "parsed": parsed}


def in_full(session: Session, limit: int | None = None) -> Callable[[], bytes]:
    """Return what makes the body of a response, as the endpoint does."""

    def read() -> bytes:
        found = read_history(session, limit=limit)
        return items_json(
            found.bodies,
            leaf=found.leaf,
            head=found.head,
            path_length=found.path_length,
            context_tokens=found.context_tokens,
            next=None,
        ).encode()

    return read


def fork_compacted(session: Session, size: int) -> Session:
    """Return a fork of so many messages, of which all but a hundred are covered."""
    uids = dict(
        Message.objects.filter(
            session=session, depth__in=[0, size - VISIBLE, size - 1]
        ).values_list("depth", "uid")
    )
    fork = fork_session(session=session, at=uids[size - 1])
    add_compaction(
        session=fork, summary="What was said.", first=uids[0], last=uids[size - VISIBLE]
    )
    assert len(read_history(fork).steps) == VISIBLE
    return Session.objects.get(id=fork.id)
