"""The tools that a model is given, and what happens when it calls one."""

from __future__ import annotations

from typing import Any

from ninja import Router, Schema
from pydantic import Field

from context_app.api.holders import author_of
from context_app.tools import TOOLS, call_tool, definitions
from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Body, Metadata
from sessions_app.api.lookups import get_session
from sessions_app.formats import print_tools

router = Router(tags=["context"])


class ToolList(Schema):
    items: list[Metadata]
    next: str | None


class ToolName(Schema):
    name: str


class ToolNames(Schema):
    items: list[ToolName]
    next: str | None


class CallIn(Body):
    arguments: Any = None
    leaf: str | None = Field(
        None, description="The message that the model answers; left out: the head"
    )


class OutputOut(Schema):
    output: str


@router.get("/{id}/tools", response=ToolList, summary="List a session's tools")
def list_tools(
    request: ApiRequest,
    id: str,
    format: str = "openai",
    leaf: str | None = None,
) -> dict[str, Any]:
    """
    Those that its blocks need, as they are now, described as the format wants it:
    `openai`, `anthropic`, `mcp`, `ai-sdk`, or any of `GET /formats`. With `leaf`, what
    is loaded on the path to it; left out: the head.
    """
    found = definitions(get_session(request, id), leaf=leaf)
    return {"items": print_tools(format, found), "next": None}


@router.post("/{id}/tools/{name}", response=OutputOut, summary="Call a tool")
def post_call(request: ApiRequest, id: str, name: str, body: CallIn) -> dict[str, Any]:
    """
    Do what a model called for, and return the text to give it. What it got wrong is in
    that text: only a tool that there is not is an error.

    `arguments` are an object, or JSON text of one.
    """
    output = call_tool(
        session=get_session(request, id),
        name=name,
        arguments=body.arguments,
        caller=author_of(request),
        leaf=body.leaf,
    )
    return {"output": output}


names = Router(tags=["context"])


@names.get("/tools", response=ToolNames, summary="List all tools")
def list_names(request: ApiRequest) -> dict[str, Any]:
    """What there is; which of them a session needs is `GET /sessions/{id}/tools`."""
    return {"items": [{"name": name} for name in TOOLS], "next": None}
