from __future__ import annotations

from context_app.providers.history import search_sessions
from context_app.tools.search_context import NOTHING, QUERY
from context_app.tools.shapes import Arguments, Desk, text_argument
from sessions_app.formats import Definition

NAME = "session_search"

SCHEMA = {"type": "object", "properties": {"query": QUERY}, "required": ["query"]}


def define(desk: Desk) -> Definition | None:
    """Of no block: offered to those agents that are to have it."""
    if not desk.searches_sessions:
        return None
    description = "Search past conversations, of all sessions, for what was said there."
    return Definition(NAME, description, SCHEMA)


def run(desk: Desk, arguments: Arguments) -> str:
    query = text_argument(arguments, "query")
    return search_sessions(desk.session.agent_id, query) or NOTHING
