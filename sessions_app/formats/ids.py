"""
Ids of calls and names of tools, as each dialect can bear them.

Anthropic takes ``^[a-zA-Z0-9_-]+$``, OpenAI at most 40 (chat) and 64 (responses)
characters. A call and its result change together, and the same id always becomes
the same, so that prompt caches hold.
"""

from __future__ import annotations

import hashlib
import re

from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Call, Result, Rules, Turn


def assign_ids(turns: list[Turn], rules: Rules, report: Report) -> None:
    """Give each call and its result an id that is valid, and the only one of its kind."""
    # With the number that was last put behind each.
    used: dict[str, int] = {}
    asking: dict[int, Turn] = {}
    for turn in turns:
        for item in turn.items:
            if isinstance(item, Call):
                asking[id(item)] = turn
                _assign(item, turn, used, rules, report)
            elif isinstance(item, Result) and item.call:
                _follow(item, turn, asking[id(item.call)], rules, report)


def _assign(
    call: Call, turn: Turn, used: dict[str, int], rules: Rules, report: Report
) -> None:
    wanted = fit(call.id, rules.id_pattern, rules.id_length)
    uid = _unused(wanted, used, rules.id_length)
    if uid != wanted:
        report.note("repeated_call_id", turn.origin, calls=call.id)
    if uid != call.id and not call.generated:
        report.touched.add(turn.origin)
    call.id = uid


def _follow(
    result: Result, turn: Turn, asking: Turn, rules: Rules, report: Report
) -> None:
    """Let a result have its call's id; both are printed anew where one has none."""
    call = result.call
    if call is None:
        return
    if result.id != call.id and not result.generated:
        report.touched.add(turn.origin)
    both_own = turn.own is not None and asking.own is not None
    stays = both_own and not rules.has_ids
    if call.generated != result.generated or (call.generated and not stays):
        report.touched |= {turn.origin, asking.origin}
    result.id, result.name = call.id, call.name


def assign_names(turns: list[Turn], rules: Rules, report: Report) -> None:
    for turn in turns:
        for item in turn.items:
            if isinstance(item, Call | Result):
                name = fit(item.name, rules.name_pattern, rules.name_length)
                if name != item.name:
                    item.name = name
                    report.touched.add(turn.origin)


def fit(text: str, pattern: str | None, longest: int) -> str:
    """Return a text that has only the characters allowed, and is not too long."""
    clean = re.sub(pattern, "_", text) if pattern else text
    if clean == text and len(text) <= longest:
        return text
    mark = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{clean[: longest - 9]}_{mark}"


def _unused(text: str, used: dict[str, int], longest: int) -> str:
    """Return a text that is not used yet, and is from now on."""
    found, number = text, used.get(text, 1)
    while found in used:
        number += 1
        ending = f"_{number}"
        found = text[: longest - len(ending)] + ending
    used[found] = 1
    used[text] = number
    return found
