"""Searching a large database: what is common, what is rare, and where."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.conversations import CJK, COMMON, MEDIUM, PHRASE, RARE
from benchmarks.databases import Shelf, session_of, using
from benchmarks.measuring import interleave, print_table
from sessions_app.search import Scope
from sessions_app.services.searching import find_messages

QUERIES = {
    "a common word": COMMON,
    "a medium word": MEDIUM,
    "a rare word": RARE,
    "a common and a rare word": f"{COMMON} {RARE}",
    "a phrase": f'"{PHRASE}"',
    "a prefix": f"{MEDIUM[:5]}*",
    "a CJK term": CJK,
    "a substring": f"*{RARE[2:]}*",
}


def run(shelf: Shelf) -> None:
    with using(shelf.large()):
        small = session_of(shelf.large_sizes[0])
        scopes = {
            "session": Scope(session=small.id),
            "agent": Scope(agent=small.agent_id),
            "everywhere": Scope(),
        }
        rows = []
        for name, query in QUERIES.items():
            sides = {place: finding(query, scope) for place, scope in scopes.items()}
            timings = interleave(sides, calls=4 if shelf.quick else 6, turn=1, warm=1)
            cells = [f"{timing.median * 1e3:,.1f}" for timing in timings.values()]
            rows.append([name, *cells])
    size = sum(shelf.large_sizes)
    header = ("", *(f"{place} ms" for place in scopes))
    print_table(f"Search in {size:,} messages, the best 20", header, rows)


def finding(query: str, scope: Scope) -> Callable[[], object]:
    return lambda: find_messages(text=query, scope=scope)
