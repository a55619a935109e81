"""
The dialects of Vercel's AI SDK: ``ai-sdk`` are UIMessages, which a chat page holds and
``convertToModelMessages`` takes; ``ai-sdk-model`` are ModelMessages, for generateText.
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.ai_sdk import (
    model_parsing,
    model_printing,
    ui_parsing,
    ui_printing,
)
from sessions_app.formats.definitions import ai_sdk_tools
from sessions_app.formats.rendering import make_render
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Format, Reasoning, Rules, Turn

Printed = tuple[str | None, list[Any]]


def keeps_reasoning(item: Reasoning) -> bool:
    """The SDK itself leaves out what a provider cannot take."""
    return True


def print_ui(turns: list[Turn], prompts: list[str], report: Report) -> Printed:
    """The system prompt is the option ``system``."""
    messages = ui_printing.Printer(report).print(turns)
    return "\n\n".join(prompts) or None, messages


def print_model(turns: list[Turn], prompts: list[str], report: Report) -> Printed:
    messages = model_printing.Printer(report).print(turns)
    return "\n\n".join(prompts) or None, messages


UI_RULES = Rules(
    format="ai-sdk",
    system="lift",
    keeps_reasoning=keeps_reasoning,
    summary_as_user=False,
)
MODEL_RULES = Rules(
    format="ai-sdk-model", system="lift", keeps_reasoning=keeps_reasoning
)

AI_SDK = Format(
    name="ai-sdk",
    title="Vercel AI SDK, UIMessage",
    parse=ui_parsing.parse,
    parse_response=ui_parsing.parse_response,
    render=make_render(UI_RULES, print_ui),
    tools=ai_sdk_tools,
)
AI_SDK_MODEL = Format(
    name="ai-sdk-model",
    title="Vercel AI SDK, ModelMessage",
    parse=model_parsing.parse,
    parse_response=model_parsing.parse_response,
    render=make_render(MODEL_RULES, print_model),
    tools=ai_sdk_tools,
)
