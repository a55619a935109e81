"""
The way from stored messages to a request, the same for every dialect: flatten,
repair, print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from sessions_app.formats.flattening import flatten
from sessions_app.formats.media import placeholder
from sessions_app.formats.repair import SURROGATES, repair, scrub
from sessions_app.formats.report import DROPPED, REPAIRS, Report
from sessions_app.formats.shapes import (
    File,
    Item,
    Message,
    Render,
    Rendered,
    Rules,
    Text,
    Turn,
)

# Prints turns, given the texts of the system prompt: the request's system and messages.
Print = Callable[[list[Turn], list[str], Report], tuple[Any, list[Any]]]


def make_render(rules: Rules, printer: Print) -> Render:
    def render(messages: list[Message], /, system: str | None = None) -> Rendered:
        report = Report([message.get("id") for message in messages])
        messages = scrub(messages, report)
        lifted, turns = repair(flatten(messages, rules, report), rules, report)
        prompt_text = SURROGATES.sub("\ufffd", system or "")
        prompts = [text for text in [prompt_text, *lifted] if text]
        prompt, printed = printer(turns, prompts, report)
        return Rendered(
            prompt, printed, report.entries(REPAIRS), report.entries(DROPPED)
        )

    return render


def units(turns: list[Turn]) -> Iterator[tuple[Any, list[Turn]]]:
    """
    Yield the turns of each message, with the message as it was sent.

    None in its place: it was sent in another dialect, or repaired, and is printed.
    """
    for origin, found in groupby(turns, key=lambda turn: turn.origin):
        group = list(found)
        if origin >= 0 and group[0].own is not None:
            yield group[0].own, group
        else:
            for turn in group:
                yield None, [turn]


def join_texts(items: list[Item]) -> str:
    return "\n\n".join(item.text for item in items if isinstance(item, Text))


def stand_in(file: File, turn: Turn, report: Report) -> str:
    """Return the text that stands for a file that the dialect cannot take here."""
    report.drop("file", turn.origin, types=file.media_type)
    return placeholder(file)
