"""
Every call with one result, right behind it; every result with its call.

A result belongs to the nearest call before it that has its id, for some servers number
their calls anew in each turn; failing that, to the first call behind it. A result that
came without an id belongs to the first open call of its name. formats.md 4.3, 3 to 5.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Call, Reasoning, Result, Rules, Turn

NEVER = (sys.maxsize, 0)
NO_RESULT = "This tool call was interrupted: no result was recorded."


@dataclass(slots=True)
class Paired:
    """A call, and its result with the place where that stood."""

    call: Call
    turn: int
    result: Result | None = None
    place: tuple[int, int] = (-1, -1)
    was_moved: bool = False


@dataclass(slots=True)
class Pairing:
    """Goes through a conversation once, and knows what is open."""

    turns: list[Turn]
    report: Report
    pairs: dict[int, Paired] = field(default_factory=dict)
    latest: dict[str, Paired] = field(default_factory=dict)
    early: dict[str, tuple[Result, int, int]] = field(default_factory=dict)
    # Open calls that came without an id, by the calls, and these by their names.
    unnamed: dict[int, Paired] = field(default_factory=dict)
    named: dict[str, deque[int]] = field(default_factory=dict)

    def run(self) -> None:
        for index, turn in enumerate(self.turns):
            for place, item in enumerate(turn.items):
                if isinstance(item, Call):
                    self.open(item, index)
                elif isinstance(item, Result):
                    self.close(item, index, place)
        for result, index, _ in self.early.values():
            self.orphan(result, index)

    def open(self, call: Call, index: int) -> None:
        found = self.pairs[id(call)] = Paired(call, index)
        self.latest[call.id] = found
        if call.generated:
            self.unnamed[id(call)] = found
            self.named.setdefault(call.name, deque()).append(id(call))
        if call.id in self.early:
            result, turn, place = self.early.pop(call.id)
            found.result, found.place, found.was_moved = result, (turn, place), True

    def close(self, result: Result, index: int, place: int) -> None:
        found = self.latest.get(result.id) if result.id else self.by_name(result)
        if found is None:
            if not result.id:
                self.orphan(result, index)
                return
            if result.id in self.early:
                self.repeat(result.id, *self.early[result.id][:2])
            self.early[result.id] = result, index, place
            return
        if found.result is not None:
            self.repeat(result.id, found.result, found.place[0])
        found.result, found.place, found.was_moved = result, (index, place), False

    def by_name(self, result: Result) -> Paired | None:
        if result.name == "unknown":
            first = next(iter(self.unnamed), 0)
            return self.unnamed.pop(first, None)
        waiting = self.named.get(result.name) or deque()
        while waiting:
            if found := self.unnamed.pop(waiting.popleft(), None):
                return found
        return None

    def orphan(self, result: Result, index: int) -> None:
        self.report.note("orphan_result", self.turns[index].origin, calls=result.id)

    def repeat(self, uid: str, result: Result, index: int) -> None:
        self.report.note("duplicate_result", self.turns[index].origin, calls=uid)


def pair(turns: list[Turn], rules: Rules, report: Report) -> list[Turn]:
    """Return the turns with each call's result behind it, and no other results."""
    pairing = Pairing(turns, report)
    pairing.run()
    if not pairing.pairs:
        return _without_results(turns)
    drop_native_orphans(pairing, report)
    turns_out: list[Turn] = []
    for group in _groups(turns, pairing):
        asking = _join(group, turns, report)
        if asking.role != "tool":
            turns_out.append(asking)
        calls = [item for item in asking.items if isinstance(item, Call)]
        if calls:
            found = [pairing.pairs[id(call)] for call in calls]
            turns_out += _answers(found, group[-1], turns, rules, report)
    return turns_out


def drop_native_orphans(pairing: Pairing, report: Report) -> None:
    """A provider's own call cannot be answered by us: without its result it goes."""
    for index, turn in enumerate(pairing.turns):
        for item in list(turn.items):
            if not isinstance(item, Call) or not _is_native(item):
                continue
            if pairing.pairs[id(item)].result is None:
                report.note("orphan_call_dropped", turn.origin, calls=item.id)
                _remove(pairing.turns[index], item)


def _remove(turn: Turn, call: Call) -> None:
    place = turn.items.index(call)
    start = place
    while start and isinstance(turn.items[start - 1], Reasoning):
        start -= 1
    del turn.items[start : place + 1]


def _is_native(call: Call) -> bool:
    return any(
        isinstance(found, dict) and "item" in found for found in call.provider.values()
    )


def _groups(turns: list[Turn], pairing: Pairing) -> Iterator[list[int]]:
    """Yield the places of turns: alone, or neighbours that asked in parallel."""
    group: list[int] = []
    for index, turn in enumerate(turns):
        calls = any(isinstance(item, Call) for item in turn.items)
        if turn.role == "assistant" and calls:
            group.append(index)
            continue
        if group:
            yield group
            group = []
        yield [index]
    if group:
        yield group


def _join(group: list[int], turns: list[Turn], report: Report) -> Turn:
    first = turns[group[0]]
    if len(group) == 1:
        return first
    items = [item for index in group for item in turns[index].items]
    items.sort(key=lambda item: isinstance(item, Call))
    for index in group:
        report.note("merged", turns[index].origin)
    return Turn("assistant", items, first.origin)


def _answers(
    found: list[Paired], last: int, turns: list[Turn], rules: Rules, report: Report
) -> list[Turn]:
    """Return the turns of results for a group of calls, in the order they came."""
    arrived = sorted(found, key=lambda each: each.place if each.result else NEVER)
    if rules.ordered and arrived != found:
        report.touched.update(turns[each.place[0]].origin for each in found)
        arrived = found
    after = last
    answers: list[Turn] = []
    for each in arrived:
        result = each.result
        if result is None:
            result, holder = _no_result(each.call), Turn("tool", [], -1)
            origin = turns[each.turn].origin
            report.drop("orphan_call", origin, calls=each.call.id)
        else:
            holder = turns[each.place[0]]
            after = _note_moves(each, after, turns, report)
        result.call = each.call
        if not answers or answers[-1].origin != holder.origin:
            answers.append(Turn("tool", [], holder.origin, holder.own))
        answers[-1].items.append(result)
    return answers


def _no_result(call: Call) -> Result:
    return Result(
        id=call.id, name=call.name, value=NO_RESULT, error=True, files=[], provider={}
    )


def _note_moves(each: Paired, after: int, turns: list[Turn], report: Report) -> int:
    """Report a result between which and its call other things stood."""
    place = each.place[0]
    between = turns[after + 1 : place]
    if each.was_moved or any(turn.role != "tool" for turn in between):
        report.note("moved_result", turns[place].origin, calls=each.call.id)
        return after
    return max(after, place)


def _without_results(turns: list[Turn]) -> list[Turn]:
    return [turn for turn in turns if turn.role != "tool"]
