"""The dialect ``gemini``: generateContent of the Gemini API and of Vertex AI."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.definitions import gemini_tools
from sessions_app.formats.gemini.parsing import parse, parse_response
from sessions_app.formats.gemini.printing import Printer, keeps_reasoning
from sessions_app.formats.rendering import make_render
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Format, Rules, Turn

RULES = Rules(
    format="gemini",
    system="lift",
    first_user=True,
    ordered=True,
    has_ids=False,
    id_length=64,
    name_pattern=r"[^a-zA-Z0-9_.:-]",
    name_length=64,
    keeps_reasoning=keeps_reasoning,
)


def print_gemini(
    turns: list[Turn], prompts: list[str], report: Report
) -> tuple[Any, list[Any]]:
    """The system prompt is the request's ``systemInstruction``."""
    system = {"parts": [{"text": text} for text in prompts]} if prompts else None
    return system, Printer(report).print(turns)


GEMINI = Format(
    name="gemini",
    title="Google Gemini",
    parse=parse,
    parse_response=parse_response,
    render=make_render(RULES, print_gemini),
    tools=gemini_tools,
)
