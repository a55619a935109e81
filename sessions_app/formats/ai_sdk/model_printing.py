"""ModelMessages from turns. What providers noted on a part goes back as providerOptions."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.arguments import value_text
from sessions_app.formats.media import inline, is_web
from sessions_app.formats.rendering import join_texts, stand_in, units
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

Printed = dict[str, Any]


class Printer:
    def __init__(self, report: Report) -> None:
        self.report = report

    def print(self, turns: list[Turn]) -> list[Any]:
        messages: list[Any] = []
        for own, group in units(turns):
            if own is not None and not is_old(own):
                messages.append(own)
            else:
                messages += [self.print_turn(turn) for turn in group]
        return messages

    def print_turn(self, turn: Turn) -> Printed:
        if turn.role == "system":
            return {"role": "system", "content": join_texts(turn.items)}
        first = turn.items[0]
        if len(turn.items) == 1 and isinstance(first, Text) and not first.provider:
            return {"role": turn.role, "content": first.text}
        content = [self.print_item(item, turn) for item in turn.items]
        return {"role": turn.role, "content": content}

    def print_item(self, item: Item, turn: Turn) -> Printed:
        if isinstance(item, Call):
            part = {"toolCallId": item.id, "toolName": item.name}
            part |= {"input": {} if item.input is None else item.input}
            return {"type": "tool-call", **part, **options(item.provider)}
        if isinstance(item, Result):
            found = {"toolCallId": item.id, "toolName": item.name}
            output = self.print_output(item, turn)
            return {"type": "tool-result", **found, "output": output}
        if isinstance(item, File):
            return self.print_file(item, turn)
        if isinstance(item, Opaque):
            value: Printed = item.value
            return value
        kind = "reasoning" if isinstance(item, Reasoning) else "text"
        return {"type": kind, "text": item.text, **options(item.provider)}

    def print_output(self, result: Result, turn: Turn) -> Printed:
        if result.error:
            return {"type": "error-text", "value": value_text(result.value)}
        if result.files:
            return {"type": "content", "value": self.print_content(result, turn)}
        kind = "text" if isinstance(result.value, str) else "json"
        return {"type": kind, "value": result.value}

    def print_content(self, result: Result, turn: Turn) -> list[Printed]:
        content: list[Printed] = []
        if text := value_text(result.value):
            content.append({"type": "text", "text": text})
        for file in result.files:
            if found := inline(file):
                media = {"mediaType": found[0], "data": found[1]}
                content.append({"type": "media", **media})
            else:
                text = stand_in(file, turn, self.report)
                content.append({"type": "text", "text": text})
        return content

    def print_file(self, file: File, turn: Turn) -> Printed:
        if not inline(file) and not is_web(file):
            return {"type": "text", "text": stand_in(file, turn, self.report)}
        if file.media_type == "image/*":
            return {"type": "image", "image": file.url}
        part = {"type": "file", "data": file.url, "mediaType": file.media_type}
        return {**part, "filename": file.filename} if file.filename else part


def is_old(own: Printed) -> bool:
    """Say whether a message is of version 4, which had other names."""
    content = own["content"]
    return isinstance(content, list) and any(
        ("args" in part and "input" not in part)
        or ("result" in part and "output" not in part)
        or "mimeType" in part
        for part in content
    )


def options(provider: Provider) -> dict[str, Any]:
    """Return the providers' notes but for those of tools that we read for ourselves."""
    found = {key: value for key, value in provider.items() if key != "pi"}
    return {"providerOptions": found} if found else {}
