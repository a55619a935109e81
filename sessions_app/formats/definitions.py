"""Tool definitions, from our own to each dialect's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sessions_app.formats.ids import fit
from sessions_app.formats.shapes import Definition

Tools = list[dict[str, Any]]

# What Gemini's parametersJsonSchema and the others take: any JSON schema of an object.
NO_INPUT: dict[str, Any] = {"type": "object", "properties": {}}
OPENAI_NAME = r"[^a-zA-Z0-9_-]"


def schema_of(tool: Definition) -> dict[str, Any]:
    return tool.input_schema or NO_INPUT


def openai_chat_tools(tools: list[Definition]) -> Tools:
    return [
        {
            "type": "function",
            "function": {
                "name": fit(tool.name, OPENAI_NAME, 64),
                "description": tool.description,
                "parameters": schema_of(tool),
            },
        }
        for tool in tools
    ]


def openai_responses_tools(tools: list[Definition]) -> Tools:
    """Not strict, for strictness asks more of a schema than JSON Schema does."""
    return [
        {
            "type": "function",
            "name": fit(tool.name, OPENAI_NAME, 64),
            "description": tool.description,
            "parameters": schema_of(tool),
            "strict": False,
        }
        for tool in tools
    ]


def anthropic_tools(tools: list[Definition]) -> Tools:
    return [
        {
            "name": fit(tool.name, OPENAI_NAME, 128),
            "description": tool.description,
            "input_schema": schema_of(tool),
        }
        for tool in tools
    ]


def gemini_tools(tools: list[Definition]) -> Tools:
    """All functions stand in one tool."""
    functions = [
        {
            "name": fit(tool.name, r"[^a-zA-Z0-9_.:-]", 64),
            "description": tool.description,
            "parametersJsonSchema": schema_of(tool),
        }
        for tool in tools
    ]
    return [{"functionDeclarations": functions}] if functions else []


def mcp_tools(tools: list[Definition]) -> Tools:
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": schema_of(tool),
        }
        for tool in tools
    ]


def ai_sdk_tools(tools: list[Definition]) -> Tools:
    """For ``dynamicTool`` or ``tool``: the client wraps the schema in jsonSchema()."""
    return mcp_tools(tools)


def langchain_tools(tools: list[Definition]) -> Tools:
    """What ``bind_tools`` takes for every provider: the form of OpenAI."""
    return openai_chat_tools(tools)


def workers_ai_tools(tools: list[Definition]) -> Tools:
    return openai_chat_tools(tools)


# By what GET /tools?format= takes; "openai" is short for its chat form.
TOOL_FORMS: dict[str, Callable[[list[Definition]], Tools]] = {
    "openai": openai_chat_tools,
    "openai-chat": openai_chat_tools,
    "openai-responses": openai_responses_tools,
    "anthropic": anthropic_tools,
    "gemini": gemini_tools,
    "mcp": mcp_tools,
    "ai-sdk": ai_sdk_tools,
    "ai-sdk-model": ai_sdk_tools,
    "langchain": langchain_tools,
    "workers-ai": workers_ai_tools,
    "raw": mcp_tools,
}
