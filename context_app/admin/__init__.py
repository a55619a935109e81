"""
The admin of blocks and what belongs to them.

What is written goes through the services: limits, versions and the search index hold
here as elsewhere, and a version's author is the operator.
"""

from __future__ import annotations

from context_app.admin import (
    blocks,
    deleted_blocks,
    entries,
    held_writes,
    policies,
    prompts,
    skill_calls,
    versions,
)

__all__ = [
    "blocks",
    "deleted_blocks",
    "entries",
    "held_writes",
    "policies",
    "prompts",
    "skill_calls",
    "versions",
]
