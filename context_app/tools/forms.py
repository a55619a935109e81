"""How the kinds of clients want a tool described."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from context_app.tools.shapes import Definition

Form = Callable[[Definition], dict[str, Any]]


def openai(tool: Definition) -> dict[str, Any]:
    """Chat Completions, and all that imitate it."""
    return {"type": "function", "function": tool._asdict()}


def anthropic(tool: Definition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.parameters,
    }


def mcp(tool: Definition) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.parameters,
    }


def ai_sdk(tool: Definition) -> dict[str, Any]:
    """As a provider of the AI SDK is given it; ``tool()`` takes the last two."""
    return {"type": "function", **mcp(tool)}


FORMS: Mapping[str, Form] = {
    "openai": openai,
    "anthropic": anthropic,
    "mcp": mcp,
    "ai-sdk": ai_sdk,
}
