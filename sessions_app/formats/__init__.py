"""
Message dialects: what agents send, and what their model calls need.

What is stored is one form (canonical.py). On the way in a dialect parses its messages
and keeps the original; on the way out stored messages are flattened into turns,
repaired in one place (repair.py), and printed. A message that is read in the dialect
it was sent in, and needs no repair, is given back exactly as it was.

To add a dialect: a module with a Format, a line here, a sample in the contract test.
"""

from __future__ import annotations

from typing import Any

from sessions_app.errors import Invalid
from sessions_app.formats.ai_sdk import AI_SDK, AI_SDK_MODEL
from sessions_app.formats.anthropic import ANTHROPIC
from sessions_app.formats.canonical import identify_calls, without_source
from sessions_app.formats.definitions import TOOL_FORMS
from sessions_app.formats.gemini import GEMINI
from sessions_app.formats.langchain import LANGCHAIN
from sessions_app.formats.openai_chat import OPENAI_CHAT
from sessions_app.formats.openai_responses import OPENAI_RESPONSES
from sessions_app.formats.raw import RAW
from sessions_app.formats.shapes import (
    Answer,
    Definition,
    Format,
    Message,
    Rendered,
)
from sessions_app.formats.workers_ai import WORKERS_AI

FORMATS: dict[str, Format] = {
    each.name: each
    for each in (
        AI_SDK,
        AI_SDK_MODEL,
        OPENAI_CHAT,
        OPENAI_RESPONSES,
        ANTHROPIC,
        GEMINI,
        WORKERS_AI,
        LANGCHAIN,
        RAW,
    )
}


class UnknownFormat(Invalid):
    code = "unknown_format"


def get_format(name: str) -> Format:
    """
    Return a dialect by its name.

    :raises UnknownFormat: if there is none
    """
    try:
        return FORMATS[name]
    except KeyError:
        known = ", ".join(FORMATS)
        raise UnknownFormat(
            f"format: must be one of {known}", field="format", format=name
        ) from None


def print_tools(name: str, tools: list[Definition]) -> list[dict[str, Any]]:
    """
    Return tool definitions in a dialect; beside the formats, ``mcp`` and ``openai``.

    :raises UnknownFormat: if there is none
    """
    if name not in TOOL_FORMS:
        known = ", ".join(TOOL_FORMS)
        raise UnknownFormat(f"format: must be one of {known}", field="format")
    return TOOL_FORMS[name](tools)


__all__ = [
    "FORMATS",
    "Answer",
    "Definition",
    "Format",
    "Message",
    "Rendered",
    "UnknownFormat",
    "get_format",
    "identify_calls",
    "print_tools",
    "without_source",
]
