"""
Chat Completions messages from turns.

A result is a message of its own, and holds text only: images of a result follow in a
user message behind the last result of the turn (formats.md 4.3, 3 and 10).
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.arguments import input_text, value_text
from sessions_app.formats.media import inline, is_web, provider_id
from sessions_app.formats.openai_chat.requests import as_request
from sessions_app.formats.rendering import join_texts, stand_in, units
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Call, File, Item, Opaque, Result, Text, Turn

AUDIO = {
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
    "audio/wav": "wav",
    "audio/x-wav": "wav",
}


class Printer:
    """
    Prints for OpenAI and its likes.

    ``no_content`` is an assistant's content that only calls tools; ``has_custom`` says
    whether there are calls with a text in place of arguments, ``has_ids`` whether every
    call has an id.
    """

    def __init__(
        self,
        report: Report,
        *,
        no_content: str | None = None,
        has_custom: bool = True,
        has_ids: bool = True,
    ) -> None:
        self.report = report
        self.has_ids = has_ids
        self.has_custom = has_custom
        self.no_content = no_content
        self.messages: list[Any] = []
        # Images of results, until the last result of the turn is printed.
        self.images: list[Any] = []

    def print(self, turns: list[Turn], prompts: list[str]) -> list[Any]:
        if prompts:
            self.messages.append({"role": "system", "content": "\n\n".join(prompts)})
        for own, group in units(turns):
            if group[0].role != "tool":
                self.flush_images()
            sent = own and as_request(
                own, no_content=self.no_content, has_ids=self.has_ids
            )
            if sent:
                self.messages.append(sent)
            else:
                for turn in group:
                    self.print_turn(turn)
        self.flush_images()
        return self.messages

    def print_turn(self, turn: Turn) -> None:
        if turn.role == "tool":
            self.messages += [
                self.print_result(item, turn)
                for item in turn.items
                if isinstance(item, Result)
            ]
        elif turn.role == "user":
            content = self.print_content(turn.items, turn)
            self.messages.append({"role": "user", "content": content})
        elif turn.role == "system":
            content = join_texts(turn.items)
            self.messages.append({"role": "system", "content": content})
        else:
            self.messages.append(self.print_assistant(turn))

    def print_assistant(self, turn: Turn) -> dict[str, Any]:
        calls = [self.print_call(item) for item in turn.items if isinstance(item, Call)]
        texts = [self.print_text(item, turn) for item in turn.items]
        content = "\n\n".join(text for text in texts if text)
        if not calls:
            return {"role": "assistant", "content": content}
        message = {"role": "assistant", "content": content or self.no_content}
        return {**message, "tool_calls": calls}

    def print_text(self, item: Item, turn: Turn) -> str:
        if isinstance(item, File):
            return stand_in(item, turn, self.report)
        if isinstance(item, Opaque):
            self.report.drop("part", turn.origin)
            return "" if len(turn.items) > 1 else "[Content that cannot be shown]"
        return item.text if isinstance(item, Text) else ""

    def print_call(self, call: Call) -> dict[str, Any]:
        openai = call.provider.get("openai")
        is_custom = isinstance(openai, dict) and openai.get("custom") is True
        if is_custom and self.has_custom:
            custom = {"name": call.name, "input": value_text(call.input)}
            return {"id": call.id, "type": "custom", "custom": custom}
        function = {"name": call.name, "arguments": input_text(call)}
        return {"id": call.id, "type": "function", "function": function}

    def print_result(self, result: Result, turn: Turn) -> dict[str, Any]:
        text = value_text(result.value)
        if result.files:
            for file in result.files:
                self.images.append(self.print_file(file, turn))
            note = f"[{len(result.files)} file(s) of this result follow]"
            text = f"{text}\n\n{note}" if text else note
        return {"role": "tool", "tool_call_id": result.id, "content": text}

    def flush_images(self) -> None:
        if self.images:
            note = {"type": "text", "text": "[Files from the tool results above]"}
            self.messages.append({"role": "user", "content": [note, *self.images]})
            self.images = []

    def print_content(self, items: list[Item], turn: Turn) -> Any:
        """Return a single text as it is, and otherwise an array of parts."""
        if len(items) == 1 and isinstance(item := items[0], Text):
            return item.text
        parts: list[Any] = []
        for item in items:
            if isinstance(item, Text):
                parts.append({"type": "text", "text": item.text})
            elif isinstance(item, File):
                parts.append(self.print_file(item, turn))
            elif isinstance(item, Opaque):
                parts.append(item.value)
        return parts or "[Content that cannot be shown]"

    def print_file(self, file: File, turn: Turn) -> dict[str, Any]:
        kind, found = file.media_type, inline(file)
        if uid := provider_id(file, "openai"):
            return {"type": "file", "file": {"file_id": uid}}
        if kind.startswith("image/") and (found or is_web(file)):
            image = {"url": file.url}
            openai = file.provider.get("openai")
            if isinstance(openai, dict) and isinstance(openai.get("imageDetail"), str):
                image["detail"] = openai["imageDetail"]
            return {"type": "image_url", "image_url": image}
        if found and found[0] in AUDIO:
            audio = {"data": found[1], "format": AUDIO[found[0]]}
            return {"type": "input_audio", "input_audio": audio}
        if found and found[0] == "application/pdf":
            name = file.filename or "document.pdf"
            return {"type": "file", "file": {"file_data": file.url, "filename": name}}
        return {"type": "text", "text": stand_in(file, turn, self.report)}
