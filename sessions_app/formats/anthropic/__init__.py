"""The dialect ``anthropic``: the Messages API."""

from __future__ import annotations

from typing import Any

from sessions_app.formats.anthropic.parsing import parse, parse_response
from sessions_app.formats.anthropic.printing import Printer, keeps_reasoning
from sessions_app.formats.definitions import anthropic_tools
from sessions_app.formats.rendering import make_render
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Format, Native, Rules, Turn


def native_of(block: Any) -> Native | None:
    """Read half of what Anthropic's servers, or an MCP server that they asked, did."""
    kind = str(block.get("type"))
    is_call = kind in ("server_tool_use", "mcp_tool_use")
    uid = block.get("id" if is_call else "tool_use_id")
    if isinstance(uid, str) and (is_call or kind.endswith("_tool_result")):
        return Native(uid, is_call)
    return None


RULES = Rules(
    format="anthropic",
    system="lift",
    first_user=True,
    id_pattern=r"[^a-zA-Z0-9_-]",
    id_length=64,
    name_pattern=r"[^a-zA-Z0-9_-]",
    name_length=128,
    native=native_of,
    keeps_reasoning=keeps_reasoning,
)


def print_anthropic(
    turns: list[Turn], prompts: list[str], report: Report
) -> tuple[str | None, list[Any]]:
    """The system prompt is the request's ``system``; None: leave that out."""
    return "\n\n".join(prompts) or None, Printer(report).print(turns)


ANTHROPIC = Format(
    name="anthropic",
    title="Anthropic Messages",
    parse=parse,
    parse_response=parse_response,
    render=make_render(RULES, print_anthropic),
    tools=anthropic_tools,
)
