"""
Tools that a provider runs itself, whose calls and results only its dialect can read.

A result may come after results of ours that it waited for, or in the next answer where
the model paused; but not after a user has spoken. Who sends one without the other is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Opaque, Rules, Turn


def drop_halves(turns: list[Turn], rules: Rules, report: Report) -> None:
    """Leave out calls that will get no result any more, and results without a call."""
    if rules.native is None:
        return
    for run, is_open in _runs(turns):
        ids: dict[bool, set[str]] = {True: set(), False: set()}
        for turn in run:
            for item in turn.items:
                if isinstance(item, Opaque) and (found := rules.native(item.value)):
                    ids[found.is_call].add(found.id)
        if ids[True] != ids[False]:
            kept_calls = ids[True] if is_open else ids[True] & ids[False]
            for turn in run:
                _keep(turn, kept_calls, ids[True], rules, report)


def _keep(
    turn: Turn, calls: set[str], asked: set[str], rules: Rules, report: Report
) -> None:
    kept = []
    for item in turn.items:
        found = rules.native and isinstance(item, Opaque) and rules.native(item.value)
        if not found or found.id in (calls if found.is_call else asked):
            kept.append(item)
            continue
        kind = "orphan_call_dropped" if found.is_call else "orphan_result"
        report.note(kind, turn.origin, calls=found.id)
    turn.items = kept


def _runs(turns: list[Turn]) -> Iterator[tuple[list[Turn], bool]]:
    """Yield what was said without the user, and whether that may go on."""
    run: list[Turn] = []
    for turn in turns:
        if turn.role in ("assistant", "tool"):
            run.append(turn)
        elif run:
            yield run, False
            run = []
    if run:
        yield run, True
