"""
A summary made of pieces of the conversation itself, without a model.

What is asked for at first, what was decided, which tools were called on what, what went
wrong, and where things stand. The same messages give the same summary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sessions_app.planning import Step
from sessions_app.summaries.extracts import Calls, Extract, extract
from sessions_app.summaries.rendering import summary_text
from sessions_app.summaries.sections import (
    CURRENT_STATE,
    HEADINGS,
    KEY_POINTS,
    OPEN_ITEMS,
    TOPIC,
    Line,
    clip,
    compose,
    parse,
)
from sessions_app.tokens import text_tokens

# New messages are summed up in half of their length, even where more is allowed.
SHARE_OF_NEW = 0.5
LEAST = 40
# Characters of a line: so many that half a dozen of them fit into the budget.
SHARE_OF_LINE = 2
SHORTEST = 60
LONGEST = 240
# How much of the budget earlier summaries may take, while there is something new.
SHARE_OF_PREVIOUS = 0.5
LENGTHS = (4000, 1000, 400, 240, 160, 100, 60)

# What was the state then is by now one of the things that happened.
LAST_REQUEST, ASKED = "Last request: ", "Asked: "
LAST_ANSWER, ANSWERED = "Last answer: ", "Answered: "
CALLED = re.compile(r"^Called (.+?) (\d+) times?(?:: (.*))?$")
BETWEEN = " · "


def summarize(steps: Sequence[Step], budget: int) -> str:
    """Return a summary of the steps, of at most ``budget`` tokens."""
    useful = sum(
        step.tokens if step.is_summary else SHARE_OF_NEW * step.tokens for step in steps
    )
    budget = min(budget, max(LEAST, int(useful)))
    found = extract(steps, min(max(budget // SHARE_OF_LINE, SHORTEST), LONGEST))
    earlier = _earlier(steps)
    for section, texts in earlier.items():
        if section == KEY_POINTS:
            earlier[section] = _take_out_calls(texts, found)
    carried = _shortened(earlier, int(SHARE_OF_PREVIOUS * budget))
    lines = [*_carried_lines(carried), *_lines(found, first=not carried[TOPIC])]
    # No database takes a NUL in a text.
    return compose(list(_unique(lines)), budget).replace("\0", " ")


def _earlier(steps: Sequence[Step]) -> dict[str, list[str]]:
    """Return what earlier summaries say, under the headings it is to stand under now."""
    merged: dict[str, list[str]] = {heading: [] for heading in HEADINGS}
    for step in steps:
        if step.is_summary:
            for section, texts in parse(summary_text(step)).items():
                if section == CURRENT_STATE:
                    merged[KEY_POINTS] += map(_as_past, texts)
                else:
                    merged[section] += texts
    return merged


def _as_past(text: str) -> str:
    for now, past in ((LAST_REQUEST, ASKED), (LAST_ANSWER, ANSWERED)):
        if text.startswith(now):
            return past + text.removeprefix(now)
    return text


def _take_out_calls(texts: Sequence[str], found: Extract) -> list[str]:
    """Add up what earlier summaries say of calls with what was found; return the rest."""
    rest = []
    before: dict[str, Calls] = {}
    for text in texts:
        if match := CALLED.match(text):
            notes = match[3].split(BETWEEN) if match[3] else []
            before.setdefault(match[1], Calls()).add(int(match[2]), notes)
        else:
            rest.append(text)
    for name, calls in found.calls.items():
        before.setdefault(name, Calls()).add(calls.count, calls.notes)
    found.calls = before
    return rest


def _shortened(earlier: dict[str, list[str]], room: int) -> dict[str, list[str]]:
    """Return lines cut to the greatest length with which all of them fit, or nearly."""
    for longest in LENGTHS:
        short = {
            section: [clip(text, longest) for text in texts]
            for section, texts in earlier.items()
        }
        size = sum(text_tokens(text) + 1 for texts in short.values() for text in texts)
        if size <= room:
            break
    return short


def _carried_lines(carried: dict[str, list[str]]) -> Iterator[Line]:
    # What was noted first gives way first; the newest of each heading goes before all.
    for section, texts in carried.items():
        for at, text in enumerate(texts):
            age = len(texts) - at - 1
            rank = 0 if section == TOPIC and at == 0 else 3 + age
            yield Line(rank, section, text)


def _lines(found: Extract, *, first: bool) -> Iterator[Line]:
    requests = found.requests
    if first and requests:
        yield Line(0, TOPIC, requests[0])
    # The first is the topic, and the last the current state.
    for at, text in enumerate(requests[1 if first else 0 : -1]):
        yield Line(6 + len(requests) - at, KEY_POINTS, ASKED + text)
    yield from _newest_first(4, KEY_POINTS, found.decisions)
    for name, calls in found.calls.items():
        yield Line(3, KEY_POINTS, _called(name, calls))
    yield from _newest_first(8, KEY_POINTS, [f"File: {name}" for name in found.files])
    yield from _newest_first(3, KEY_POINTS, found.errors)
    if requests and (len(requests) > 1 or not first):
        yield Line(1, CURRENT_STATE, LAST_REQUEST + requests[-1])
    if found.answers:
        yield Line(2, CURRENT_STATE, LAST_ANSWER + found.answers[-1])
    for at, text in enumerate([*found.unanswered, *found.to_do]):
        yield Line(2 + at, OPEN_ITEMS, text)


def _newest_first(rank: int, section: str, texts: Sequence[str]) -> Iterator[Line]:
    """Return lines in the order of the texts, of which the newest matter most."""
    for at, text in enumerate(texts):
        yield Line(rank + len(texts) - at - 1, section, text)


def _called(name: str, calls: Calls) -> str:
    times = "1 time" if calls.count == 1 else f"{calls.count} times"
    notes = BETWEEN.join(calls.notes)
    return f"Called {name} {times}" + (f": {notes}" if notes else "")


def _unique(lines: Sequence[Line]) -> Iterator[Line]:
    """Leave out what has been said."""
    said: set[str] = set()
    for line in sorted(lines, key=lambda line: HEADINGS.index(line.section)):
        if line.text not in said:
            said.add(line.text)
            yield line
