"""The dialect ``openai-responses``."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.definitions import openai_responses_tools
from sessions_app.formats.openai_responses.parsing import parse, parse_response
from sessions_app.formats.openai_responses.printing import Printer, keeps_reasoning
from sessions_app.formats.rendering import make_render
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Format, Rules, Turn

RULES = Rules(
    format="openai-responses",
    id_length=64,
    name_pattern=r"[^a-zA-Z0-9_-]",
    name_length=64,
    keeps_reasoning=keeps_reasoning,
)


def print_responses(
    turns: list[Turn], prompts: list[str], report: Report
) -> tuple[str | None, list[Any]]:
    """The system prompt is the request's ``instructions``."""
    return "\n\n".join(prompts) or None, Printer(report).print(turns)


OPENAI_RESPONSES = Format(
    name="openai-responses",
    title="OpenAI Responses",
    parse=parse,
    parse_response=parse_response,
    render=make_render(RULES, print_responses),
    tools=openai_responses_tools,
)
