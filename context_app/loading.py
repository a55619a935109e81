"""
Which skills a path has loaded, read from the calls that stand in its messages.

So the answer is the same after a restart, and each branch has its own. A call and
its result may be one part of an assistant's message (AI SDK), or a part of it and
a part of a tool's message. What was unloaded is taken out of the messages as they
are read; the stored ones keep it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sessions_app.tokens import is_tool

LOAD = "load_context"
UNLOAD = "unload_context"
# The part types of a call, of its result, and of both in one, where the type does not
# name the tool.
CALL, RESULT, DYNAMIC = "tool-call", "tool-result", "dynamic-tool"
# The states of a call whose result is a part of another message, or is still to come.
UNANSWERED = ("input-streaming", "input-available", "call")

Message = Mapping[str, Any]


class Skill(NamedTuple):
    """What is loaded: an entry of a block."""

    label: str
    key: str


class Place(NamedTuple):
    """Where a result stands: a message and one of its parts, both by number."""

    message: int
    part: int


@dataclass(slots=True)
class Loads:
    """
    What a path has loaded, in the order of loading, with the places that hold its text;
    and the places of what was unloaded since.
    """

    loaded: dict[Skill, list[Place]] = field(default_factory=dict)
    unloaded: dict[Place, Skill] = field(default_factory=dict)

    def unload(self, skill: Skill) -> None:
        for place in self.loaded.pop(skill, ()):
            self.unloaded[place] = skill


class Result(NamedTuple):
    """What a call of one of the two tools came to."""

    tool: str
    skill: Skill
    output: str
    part: int


def unloaded_text(key: str) -> str:
    """Return what stands in the place of a text that was unloaded."""
    return f"[skill unloaded: {key}]"


def find_loads(messages: Iterable[Message]) -> Loads:
    """Read the messages of a path, root first."""
    reader = Reader()
    for message in messages:
        reader.read(message)
    return reader.loads


class Reader:
    """Reads a path message by message, for who does not have it whole."""

    def __init__(self) -> None:
        self.loads = Loads()
        # What was called, by the id of the call, until its result comes.
        self._waiting: dict[str, tuple[str, Any]] = {}
        self._next = 0

    def read(self, message: Message) -> None:
        number = self._next
        self._next += 1
        for tool, skill, output, part in self._results(message):
            if tool == UNLOAD:
                self.loads.unload(skill)
            elif output == unloaded_text(skill.key):
                # Taken out for good, by whoever wrote the message.
                self.loads.unload(skill)
            elif is_success(output, skill.key):
                places = self.loads.loaded.setdefault(skill, [])
                places.append(Place(number, part))

    def concerns(self, body: str) -> bool:
        """Say whether a message, as JSON text, may hold a load, an unload or a result."""
        # The name of the one tool is in that of the other as well.
        return LOAD in body or any(call in body for call in self._waiting)

    def skip(self) -> None:
        """Pass over a message that does not concern it."""
        self._next += 1

    def read_unloads(self, message: Message) -> None:
        """
        Read a message that is not in sight: it has no place, and loads nothing.

        An unload that has not had its result counts: it may be in another message.
        """
        for result in self._results(message):
            if result.tool == UNLOAD:
                self.loads.unload(result.skill)
        for tool, arguments in self._waiting.values():
            if tool == UNLOAD and (skill := _skill(arguments)):
                self.loads.unload(skill)
        self._waiting.clear()

    def _results(self, message: Message) -> Iterator[Result]:
        for number, part in enumerate(message.get("parts") or ()):
            if not isinstance(part, dict) or not is_tool(str(part.get("type", ""))):
                continue
            call = str(part.get("toolCallId", ""))
            tool, arguments = tool_name(part), _arguments(part)
            if part["type"] == CALL or part.get("state") in UNANSWERED:
                if call and tool in (LOAD, UNLOAD):
                    self._waiting[call] = (tool, arguments)
                continue
            if call in self._waiting:
                asked = self._waiting.pop(call)
                tool, arguments = asked if arguments is None else (tool, arguments)
            output = output_text(part)
            skill = _skill(arguments)
            if tool in (LOAD, UNLOAD) and skill and output is not None:
                yield Result(tool, skill, output, number)


def reclaim(messages: Sequence[Message], loads: Loads) -> list[Message]:
    """Return the messages with the texts of unloaded skills taken out; others as they are."""
    by_message: dict[int, dict[int, Skill]] = {}
    for place, skill in loads.unloaded.items():
        by_message.setdefault(place.message, {})[place.part] = skill
    return [
        _without(message, by_message[number]) if number in by_message else message
        for number, message in enumerate(messages)
    ]


def _without(message: Message, skills: Mapping[int, Skill]) -> Message:
    parts = [
        _replaced(part, unloaded_text(skills[number].key)) if number in skills else part
        for number, part in enumerate(message["parts"])
    ]
    changed = {**message, "parts": parts}
    metadata = message.get("metadata")
    if isinstance(metadata, dict) and "source" in metadata:
        # The original, which holds the text as well: sessions_app.formats.canonical.
        kept = {name: each for name, each in metadata.items() if name != "source"}
        changed["metadata"] = kept
    return changed


def _replaced(part: Mapping[str, Any], text: str) -> dict[str, Any]:
    field = _output_field(part)
    output = part[field]
    typed = isinstance(output, dict) and "value" in output
    return {**part, field: {"type": "text", "value": text} if typed else text}


def tool_name(part: Mapping[str, Any]) -> str:
    """Return the tool that a part is of; its type may be all that says so."""
    name = part.get("toolName")
    if isinstance(name, str):
        return name
    kind: str = part["type"]
    return "" if kind in (CALL, RESULT, DYNAMIC) else kind.removeprefix("tool-")


def output_text(part: Mapping[str, Any]) -> str | None:
    """Return what a tool answered as text; None while it has not, or where it failed."""
    if part.get("state", "output-available") not in ("output-available", "result"):
        return None
    if part.get("isError") is True:
        return None
    return _text(part.get(_output_field(part)))


def is_success(output: str, key: str) -> bool:
    """Say whether a load gave the skill, and not the reason why there is none."""
    return output != f"Not found: {key}" and not output.startswith("Error: ")


def _output_field(part: Mapping[str, Any]) -> str:
    return "result" if part.get("output") is None else "output"


def _text(output: Any) -> str | None:
    """Return the text of an output, however it is wrapped."""
    if isinstance(output, list):
        texts = [_text(item) for item in output]
        return "".join(text for text in texts if text is not None) if texts else None
    if isinstance(output, dict):
        if str(output.get("type", "")).startswith(("error", "execution-denied")):
            return None
        wrapped = (output.get(name) for name in ("value", "text", "output", "content"))
        return next(
            (text for each in wrapped if (text := _text(each)) is not None), None
        )
    return output if isinstance(output, str) else None


def _arguments(part: Mapping[str, Any]) -> Any:
    return part.get("input", part.get("args"))


def _skill(arguments: Any) -> Skill | None:
    if not isinstance(arguments, dict):
        return None
    label, key = arguments.get("label"), arguments.get("key")
    return (
        Skill(label, key) if isinstance(label, str) and isinstance(key, str) else None
    )
