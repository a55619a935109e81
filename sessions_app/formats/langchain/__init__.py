"""The dialect ``langchain``."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.definitions import langchain_tools
from sessions_app.formats.langchain.parsing import parse, parse_response
from sessions_app.formats.langchain.printing import Printer
from sessions_app.formats.rendering import make_render
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Format, Rules, Turn

RULES = Rules(format="langchain", system="lead", name_length=64)


def print_langchain(
    turns: list[Turn], prompts: list[str], report: Report
) -> tuple[None, list[Any]]:
    """The system prompt is the first message."""
    return None, Printer(report, turns).print(turns, prompts)


LANGCHAIN = Format(
    name="langchain",
    title="LangChain",
    parse=parse,
    parse_response=parse_response,
    render=make_render(RULES, print_langchain),
    tools=langchain_tools,
)
