"""The dialect ``raw``: the stored messages as they are, neither repaired nor converted."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.ai_sdk import ui_parsing
from sessions_app.formats.definitions import mcp_tools
from sessions_app.formats.reading import as_list, each_object, expect_list, expect_name
from sessions_app.formats.shapes import Answer, Format, Message, Rendered


def parse(payload: Any) -> list[Message]:
    """Check only what a message needs to be stored."""
    messages = []
    for raw, where in each_object(as_list(payload), "messages"):
        expect_name(raw.get("role"), f"{where}.role")
        expect_list(raw.get("parts"), f"{where}.parts")
        for part, at in each_object(raw["parts"], f"{where}.parts"):
            expect_name(part.get("type"), f"{at}.type")
        messages.append(raw)
    return messages


def parse_response(payload: Any) -> Answer:
    return ui_parsing.parse_response(payload)


def render(messages: list[Message], /, system: str | None = None) -> Rendered:
    return Rendered(system or None, messages)


RAW = Format(
    name="raw",
    title="As stored",
    parse=parse,
    parse_response=parse_response,
    render=render,
    tools=mcp_tools,
)
