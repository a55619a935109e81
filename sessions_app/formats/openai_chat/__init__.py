"""The dialect ``openai-chat``, which most servers of other makers speak too."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.definitions import openai_chat_tools
from sessions_app.formats.openai_chat.parsing import parse, parse_response
from sessions_app.formats.openai_chat.printing import Printer
from sessions_app.formats.rendering import make_render
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Format, Rules, Turn

RULES = Rules(
    format="openai-chat",
    # The old function_call has none; the printer sees to all others.
    has_ids=False,
    id_length=40,
    name_pattern=r"[^a-zA-Z0-9_-]",
    name_length=64,
)


def print_chat(
    turns: list[Turn], prompts: list[str], report: Report
) -> tuple[None, list[Any]]:
    """The system prompt is the first message."""
    return None, Printer(report).print(turns, prompts)


OPENAI_CHAT = Format(
    name="openai-chat",
    title="OpenAI Chat Completions",
    parse=parse,
    parse_response=parse_response,
    render=make_render(RULES, print_chat),
    tools=openai_chat_tools,
)
