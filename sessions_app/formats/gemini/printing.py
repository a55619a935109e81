"""
Gemini contents from turns: user and model in turn, the user first.

All results of a turn stand in one content, in the order of their calls, before what
else the user says. formats.md 4.3, 3 and 8.
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.arguments import input_object, value_text
from sessions_app.formats.media import inline
from sessions_app.formats.rendering import stand_in, units
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import (
    Call,
    File,
    Item,
    Opaque,
    Provider,
    Reasoning,
    Result,
    Text,
    Turn,
)

Part = dict[str, Any]
UPLOADED = "https://generativelanguage.googleapis.com/"


class Printer:
    def __init__(self, report: Report) -> None:
        self.report = report
        self.contents: list[Any] = []
        self.last: Turn | None = None
        # The last content, if it is one that others were put into.
        self.joined: Part | None = None

    def print(self, turns: list[Turn]) -> list[Any]:
        for own, group in units(turns):
            if own is not None and len({_role(turn) for turn in group}) == 1:
                self.add(_with_role(own, group[0]), group[0], group[-1])
            else:
                for turn in group:
                    parts = self.print_turn(turn)
                    self.add({"role": _role(turn), "parts": parts}, turn, turn)
        self.settle()
        return self.contents

    def add(self, content: Any, turn: Turn, last: Turn) -> None:
        """Put a content behind the others, or into the last one of the same role."""
        before = self.last
        self.last = last
        if before is None or _role(before) != _role(turn):
            self.contents.append(content)
            self.settle()
            return
        if before.role == turn.role != "tool" and before.origin != turn.origin:
            self.report.note("merged", turn.origin)
        if self.joined is None:
            parts = list(self.contents[-1]["parts"])
            self.joined = self.contents[-1] = {"role": _role(turn), "parts": parts}
        self.joined["parts"] += content["parts"]

    def settle(self) -> None:
        """Put the results first in a content that nothing more is put into."""
        if self.joined is not None and self.joined["role"] == "user":
            self.joined["parts"].sort(key=lambda part: not _is_response(part))
        self.joined = None

    def print_turn(self, turn: Turn) -> list[Part]:
        parts = [self.print_item(item, turn) for item in turn.items]
        for item in turn.items:
            if isinstance(item, Result):
                parts += [self.print_file(file, turn) for file in item.files]
        return parts

    def print_item(self, item: Item, turn: Turn) -> Part:
        if isinstance(item, Call):
            return self.print_call(item, turn)
        if isinstance(item, Result):
            return print_result(item)
        if isinstance(item, File):
            return self.print_file(item, turn)
        if isinstance(item, Opaque):
            part: Part = item.value
            return part
        if isinstance(item, Reasoning):
            return {"text": item.text, "thought": True, **signature_of(item.provider)}
        text = item.text if isinstance(item, Text) else ""
        return {"text": text, **signature_of(item.provider)}

    def print_call(self, call: Call, turn: Turn) -> Part:
        value, wrapped = input_object(call)
        if wrapped:
            self.report.note("input_not_object", turn.origin, calls=call.id)
        found = {} if call.generated else {"id": call.id}
        function = {**found, "name": call.name, "args": value}
        return {"functionCall": function, **signature_of(call.provider)}

    def print_file(self, file: File, turn: Turn) -> Part:
        if found := inline(file):
            return {"inlineData": {"mimeType": found[0], "data": found[1]}}
        if file.url.startswith((UPLOADED, "gs://", "https://www.youtube.com/")):
            return {"fileData": {"mimeType": file.media_type, "fileUri": file.url}}
        return {"text": stand_in(file, turn, self.report)}


def print_result(result: Result) -> Part:
    """Print what a function gave, under the key that says how it went."""
    key = "error" if result.error else "output"
    value = value_text(result.value) if result.error else result.value
    generated = result.call is not None and result.call.generated
    found = {} if generated else {"id": result.id}
    response = {"name": result.name, "response": {key: value}}
    return {"functionResponse": {**found, **response}}


def signature_of(provider: Provider) -> dict[str, str]:
    for name in ("google", "vertex"):
        found = provider.get(name)
        if isinstance(found, dict) and isinstance(found.get("thoughtSignature"), str):
            return {"thoughtSignature": found["thoughtSignature"]}
    return {}


def keeps_reasoning(item: Reasoning) -> bool:
    """Thoughts are of use to the API only with their signature."""
    return bool(signature_of(item.provider))


def _role(turn: Turn) -> str:
    return "model" if turn.role == "assistant" else "user"


def _with_role(own: Any, turn: Turn) -> Any:
    """The API once knew a role "function", and takes a user's content without one."""
    if own.get("role") in (None, "user", "model"):
        return own
    return {**own, "role": _role(turn)}


def _is_response(part: Part) -> bool:
    return "functionResponse" in part or "function_response" in part
