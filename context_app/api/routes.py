"""The routers of this app, with where they are mounted."""

from __future__ import annotations

from collections.abc import Sequence

from ninja import Router

from context_app.api import context, policies, prompts, quarantine, tools
from context_app.api.blocks import agent_blocks, session_blocks
from context_app.api.entries import agent_entries, session_entries
from context_app.api.entry_versions import agent_entry_versions, session_entry_versions
from context_app.api.versions import agent_versions, session_versions

ROUTERS: Sequence[tuple[str, Router]] = (
    ("/sessions", session_blocks),
    ("/sessions", session_versions),
    ("/sessions", session_entries),
    ("/sessions", session_entry_versions),
    ("/sessions", prompts.router),
    ("/sessions", context.router),
    ("/sessions", tools.router),
    ("", tools.names),
    ("/agents", agent_blocks),
    ("/agents", agent_versions),
    ("/agents", agent_entries),
    ("/agents", agent_entry_versions),
    ("/agents", policies.router),
    ("/quarantine", quarantine.router),
)
