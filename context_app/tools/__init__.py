"""
The tools that a model is given to work on its memory.

To add one: a file with ``define`` and ``run``, and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from context_app.authors import SYSTEM, Author
from context_app.providers import PythonBlock
from context_app.tools import (
    load_context,
    search_context,
    session_search,
    set_context,
    unload_context,
)
from context_app.tools.shapes import (
    Arguments,
    BadArguments,
    Desk,
    Tool,
)
from sessions_app.errors import MemoryHubError, NotFound
from sessions_app.formats import Definition
from sessions_app.models import Session

TOOLS: Mapping[str, Tool] = {
    set_context.NAME: Tool(set_context.define, set_context.run),
    load_context.NAME: Tool(load_context.define, load_context.run),
    unload_context.NAME: Tool(unload_context.define, unload_context.run),
    search_context.NAME: Tool(search_context.define, search_context.run),
    session_search.NAME: Tool(session_search.define, session_search.run),
}


def definitions(session: Session, own: Sequence[PythonBlock] = ()) -> list[Definition]:
    """Return the tools that a session's blocks need, as they are now."""
    return define_tools(Desk(session, SYSTEM, own))


def define_tools(desk: Desk) -> list[Definition]:
    """Return the tools that a desk's blocks need."""
    defined = (tool.define(desk) for tool in TOOLS.values())
    return [definition for definition in defined if definition]


def call_tool(
    *,
    session: Session,
    name: str,
    arguments: Any,
    caller: Author,
    own: Sequence[PythonBlock] = (),
) -> str:
    """
    Do what a model asks for, and return what it is told: why not, where it is refused.

    ``arguments`` are an object, or JSON text of one, as some providers send it.

    :raises NotFound: if there is no such tool
    """
    return run_tool(Desk(session, caller, own), name, arguments)


def run_tool(desk: Desk, name: str, arguments: Any) -> str:
    """Do at a desk what a model asks for; returns and raises as ``call_tool``."""
    if name not in TOOLS:
        raise NotFound(f"No tool {name!r}", name=name)
    try:
        return TOOLS[name].run(desk, _read(arguments))
    except MemoryHubError as refusal:
        return f"Error: {refusal.message}"


def _read(arguments: Any) -> Arguments:
    if isinstance(arguments, str):
        try:
            arguments = orjson.loads(arguments or "{}")
        except orjson.JSONDecodeError as exc:
            raise BadArguments(f"the arguments are not valid JSON: {exc.msg}") from exc
    if not isinstance(arguments, dict):
        raise BadArguments("the arguments must be an object")
    return arguments


__all__ = [
    "TOOLS",
    "Definition",
    "Desk",
    "call_tool",
    "define_tools",
    "definitions",
    "run_tool",
]
