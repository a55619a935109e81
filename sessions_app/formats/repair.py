"""
Makes any conversation one that a dialect accepts: the only place where that happens.

In order: half surrogates, empty texts, calls and results, ids, system messages, what
has become empty, the first message. Joining neighbours is left to the printers that
need it, for only they know how their contents add up. formats.md 4.3.
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from sessions_app.formats.ids import assign_ids, assign_names
from sessions_app.formats.native_pairs import drop_halves
from sessions_app.formats.pairing import pair
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Item, Message, Reasoning, Rules, Text, Turn

PLACEHOLDER = "[The conversation begins with the assistant.]"
SYSTEM_NOTE = "[Instruction to the assistant]"
SUMMARY_NOTE = "[Summary of the conversation so far]"
SURROGATES = re.compile("[\ud800-\udfff]")


def repair(
    turns: list[Turn], rules: Rules, report: Report
) -> tuple[list[str], list[Turn]]:
    """Return the texts that belong to the system prompt, and the turns that are valid."""
    drop_empty_texts(turns, report)
    drop_halves(turns, rules, report)
    turns = pair(turns, rules, report)
    assign_ids(turns, rules, report)
    assign_names(turns, rules, report)
    lifted: list[str] = []
    if rules.system != "keep":
        lifted, turns = lift_system(turns, rules, report)
    turns = drop_empty(turns, report)
    mark_summaries(turns)
    if rules.first_user and turns and turns[0].role == "assistant":
        report.note("first_message", -1)
        turns.insert(0, Turn("user", [Text(PLACEHOLDER, {})], -1))
    touch_divided(turns, report)
    drop_foreign_reasoning(turns, rules, report)
    return lifted, turns


def scrub(messages: list[Message], report: Report) -> list[Message]:
    """Return the messages without half surrogates; all the same where there are none."""
    try:
        orjson.dumps(messages)
    except TypeError:
        return [_scrub_message(each, i, report) for i, each in enumerate(messages)]
    return messages


def drop_empty_texts(turns: list[Turn], report: Report) -> None:
    """Anthropic refuses a text without a visible character; nobody misses it."""
    for turn in turns:
        kept = [
            item
            for item in turn.items
            if not isinstance(item, Text) or (item.text and not item.text.isspace())
        ]
        if len(kept) < len(turn.items):
            report.note("empty_text", turn.origin)
            turn.items = kept


def lift_system(
    turns: list[Turn], rules: Rules, report: Report
) -> tuple[list[str], list[Turn]]:
    """Move system messages at the beginning out; later ones become a user's."""
    lifted: list[str] = []
    kept: list[Turn] = []
    for turn in turns:
        leads = not kept or kept[-1].role == "system"
        if turn.role != "system" or (leads and rules.system == "lead"):
            kept.append(turn)
            continue
        texts = [item.text for item in turn.items if isinstance(item, Text)]
        if not kept:
            report.note("system_moved", turn.origin)
            lifted += texts
        elif texts:
            report.note("system_as_user", turn.origin)
            text = "\n\n".join([SYSTEM_NOTE, *texts])
            kept.append(Turn("user", [Text(text, {})], turn.origin))
    return lifted, kept


def drop_empty(turns: list[Turn], report: Report) -> list[Turn]:
    """Leave out reasoning that nothing follows, and turns in which nothing is left."""
    kept = []
    for turn in turns:
        while turn.items and isinstance(turn.items[-1], Reasoning):
            turn.items.pop()
            report.note("dangling_reasoning", turn.origin)
        if turn.role == "system":
            turn.items = [item for item in turn.items if isinstance(item, Text)]
        if turn.items:
            kept.append(turn)
        else:
            report.note("empty_message", turn.origin)
    return kept


def touch_divided(turns: list[Turn], report: Report) -> None:
    """A message between whose turns others now stand cannot be given back whole."""
    done: set[int] = set()
    last = -1
    for turn in turns:
        if turn.origin != last and turn.origin in done:
            report.touched.add(turn.origin)
        done.add(turn.origin)
        last = turn.origin


def drop_foreign_reasoning(turns: list[Turn], rules: Rules, report: Report) -> None:
    """Reasoning is signed: it goes back to the provider that made it, or nowhere."""
    for turn in turns:
        if turn.own is not None and turn.origin in report.touched:
            turn.own = None
        if turn.own is None and any(isinstance(each, Reasoning) for each in turn.items):
            kept: list[Item] = []
            for item in turn.items:
                if isinstance(item, Reasoning) and not rules.keeps_reasoning(item):
                    report.drop("reasoning", turn.origin)
                else:
                    kept.append(item)
            turn.items = kept


def mark_summaries(turns: list[Turn]) -> None:
    """Say of a summary what it is, for it now stands there as a user's message."""
    for turn in turns:
        if turn.summary and isinstance(item := turn.items[0], Text):
            turn.items[0] = Text(f"{SUMMARY_NOTE}\n\n{item.text}", {}, item.part)


def _scrub_message(message: Message, index: int, report: Report) -> Message:
    try:
        orjson.dumps(message)
    except TypeError:
        clean: Message = _scrub_value(message)
        if clean != message:
            report.note("surrogate", index)
        return clean
    return message


def _scrub_value(value: Any) -> Any:
    if isinstance(value, str):
        return SURROGATES.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_scrub_value(key): _scrub_value(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_scrub_value(each) for each in value]
    return value
