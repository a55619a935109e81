"""What can be found in messages without understanding them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sessions_app.planning import Step, has_result
from sessions_app.summaries.rendering import (
    attachment,
    text_of,
    tool_name,
    tool_names,
    value_text,
)
from sessions_app.summaries.sections import clip
from sessions_app.tokens import is_tool

# Longest texts that are looked at, in characters, so that a pasted log costs little.
MOST_TEXT = 20_000
LONGEST_NOTE = 80
MOST_NOTES = 6

SENTENCE = re.compile(r"[^\n.!?。！？]*(?:[.!?](?!\s|$)[^\n.!?。！？]*)*[.!?。！？]*")
DECIDING = re.compile(
    r"\b(?:decided?|decision|agreed?|we(?:'ll| will| should)|let(?:'s| us)|must(?: not)?|"
    r"never|always|prefer|instead of|don't|do not|remember|important|deadline)\b"
    r"|决定|決定|必须|必ず|不要|记住|覚えて|应该|同意|改用|しないで|결정|반드시|기억",
    re.IGNORECASE,
)
TO_DO = re.compile(
    r"^\s*(?:[-*]\s*\[ \]\s*|TODO\b:?\s*|FIXME\b:?\s*)(.+)$", re.MULTILINE
)
QUESTION = re.compile(r"[?？]\s*$")

# The inputs of a tool that say what it was about, the most telling first.
TELLING = (
    "file_path", "path", "filename", "file", "paths", "files", "url", "command", "cmd",
    "query", "q", "pattern", "name", "id",
)  # fmt: skip


@dataclass
class Calls:
    """The calls of one tool: how many, what on, and what failed."""

    count: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, count: int, notes: Sequence[str]) -> None:
        self.count += count
        for note in notes:
            # The latest stand last, and stay.
            if note in self.notes:
                self.notes.remove(note)
            self.notes.append(note)
        del self.notes[:-MOST_NOTES]


@dataclass
class Extract:
    """What was found, each list in the order of the conversation."""

    requests: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    to_do: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)
    calls: dict[str, Calls] = field(default_factory=dict)


def extract(steps: Sequence[Step], longest: int) -> Extract:
    """
    Look through messages, and note each find in ``longest`` characters at most.

    Summaries among them are not looked at.
    """
    found = Extract()
    names = tool_names(steps)
    asked: list[str] = []
    for step in steps:
        if step.is_summary:
            continue
        text = "\n".join(filter(None, map(text_of, step.parts)))[:MOST_TEXT].strip()
        said = list(sentences(text))
        if step.role == "user" and said:
            # Whatever was asked before is answered, or no longer waited for.
            found.requests.append(gist(said, longest))
            asked = []
        elif said:
            found.answers.append(gist(said, longest))
            asked = [clip(each, longest) for each in said[-3:] if QUESTION.search(each)]
        found.decisions += [
            clip(each, longest) for each in said if DECIDING.search(each)
        ]
        found.to_do += [clip(each.strip(), longest) for each in TO_DO.findall(text)]
        _note_parts(found, step, names)
    found.unanswered += asked + _pending(steps, names)
    return found


def sentences(text: str) -> Iterator[str]:
    """Return the sentences of a text; the end of a line is the end of one too."""
    for match in SENTENCE.finditer(text):
        if sentence := " ".join(match[0].split()):
            yield sentence


def gist(said: Sequence[str], longest: int) -> str:
    """Return the first sentences of a text, as many as make up a line."""
    line = said[0]
    for each in said[1:]:
        if len(line) + len(each) >= longest:
            break
        line += each if line[-1] in "。！？" else f" {each}"
    return clip(line, longest)


def _note_parts(found: Extract, step: Step, names: dict[str, str]) -> None:
    for part in step.parts:
        if name := attachment(part):
            found.files.append(name)
        if not is_tool(part["type"]):
            continue
        tool = tool_name(part, names)
        if part.get("input") is not None or part["type"] == "tool-call":
            found.calls.setdefault(tool, Calls()).add(1, notes_on(part.get("input")))
        error = part.get("errorText")
        if error is None and (
            part.get("isError") or part.get("state") == "output-error"
        ):
            error = part.get("output", part.get("result"))
        if error is not None:
            line = " ".join(value_text(error)[:1000].split())
            found.errors.append(f"{tool} failed: {clip(line, 160)}")


def notes_on(value: Any) -> list[str]:
    """Return what a call was about: the most telling of its inputs, in a few words."""
    if isinstance(value, str):
        return (
            [clip(" ".join(value[:400].split()), LONGEST_NOTE)] if value.strip() else []
        )
    if not isinstance(value, dict):
        return []
    for key in TELLING:
        given = value.get(key)
        for each in given if isinstance(given, list) else [given]:
            if isinstance(each, str) and each.strip():
                return [clip(" ".join(each[:400].split()), LONGEST_NOTE)]
    return []


def _pending(steps: Sequence[Step], names: dict[str, str]) -> list[str]:
    """Return the calls that nothing has answered."""
    waiting: dict[str, str] = {}
    for step in steps:
        for part in step.parts:
            call = part.get("toolCallId")
            if not is_tool(part["type"]) or not isinstance(call, str):
                continue
            if has_result(part) or step.role != "assistant":
                waiting.pop(call, None)
            elif part["type"] != "tool-result":
                waiting[call] = tool_name(part, names)
    return [f"The call of {name} has no result" for name in waiting.values()]
