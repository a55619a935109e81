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
from sessions_app.services.forest.finding import get_place

TOOLS: Mapping[str, Tool] = {
    set_context.NAME: Tool(set_context.define, set_context.run),
    load_context.NAME: Tool(load_context.define, load_context.run),
    unload_context.NAME: Tool(unload_context.define, unload_context.run),
    search_context.NAME: Tool(search_context.define, search_context.run),
    session_search.NAME: Tool(session_search.define, session_search.run),
}


def definitions(
    session: Session, own: Sequence[PythonBlock] = (), *, leaf: str | None = None
) -> list[Definition]:
    """
    Return the tools that a session's blocks need, as they are now.

    :raises NotFound: if the session sees no message ``leaf``
    """
    _check_leaf(session, leaf)
    return define_tools(Desk(session, SYSTEM, own, leaf))


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
    leaf: str | None = None,
) -> str:
    """
    Do what a model asks for, and return what it is told: why not, where it is refused.

    ``arguments`` are an object, or JSON text of one, as some providers send it;
    ``leaf`` is the message that the model answers, by default the head.

    :raises NotFound: if there is no such tool, or the session sees no such message
    """
    _check_leaf(session, leaf)
    return run_tool(Desk(session, caller, own, leaf), name, arguments)


def run_tool(desk: Desk, name: str, arguments: Any) -> str:
    """
    Do at a desk what a model asks for; returns as ``call_tool``.

    :raises NotFound: if there is no such tool
    """
    if name not in TOOLS:
        raise NotFound(f"No tool {name!r}", name=name)
    try:
        return TOOLS[name].run(desk, _read(arguments))
    except MemoryHubError as refusal:
        return f"Error: {refusal.message}"


def _check_leaf(session: Session, leaf: str | None) -> None:
    if leaf is not None:
        get_place(session, leaf)


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
