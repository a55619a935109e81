from __future__ import annotations

from context_app.models.blocks import Block
from context_app.models.deleted_blocks import DeletedBlock
from context_app.models.entries import Entry
from context_app.models.policies import AgentPolicy
from context_app.models.prompts import Prompt
from context_app.models.quarantine import HeldWrite
from context_app.models.skill_calls import SkillCall
from context_app.models.versions import Version

__all__ = [
    "AgentPolicy",
    "Block",
    "DeletedBlock",
    "Entry",
    "HeldWrite",
    "Prompt",
    "SkillCall",
    "Version",
]
