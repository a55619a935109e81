from __future__ import annotations

from typing import Any

from context_app.loading import UNLOAD, Skill
from context_app.services.contexts import ContextBlock
from memoryhub.facade.context.base import Tool
from memoryhub.facade.conversation import Conversation
from memoryhub.facade.providers import BlockPlan


class Session(Conversation):
    """
    A conversation and the memory that goes with it.

        session = (
            Session.create(agent="support")
            .for_session("trip")
            .with_context("memory", description="Learned facts", max_tokens=1100)
            .with_cached_prompt()
        )

    Nothing is read or made before the first use. It may be used by several threads.
    """

    def add_context(
        self,
        label: str,
        *,
        description: str = "",
        max_tokens: int | None = None,
        provider: Any = None,
    ) -> ContextBlock:
        """
        Add a block while the session is in use; the prompt shows it after a refresh.

        :raises BlockExists: if there is one of that label
        """
        context = self._parts.context
        context.add(BlockPlan(label, description, max_tokens, provider))
        block = context.find(label)
        assert block  # noqa: S101 (it was added just now)
        return block

    def remove_context(self, label: str) -> bool:
        """Delete a block, one of the database with its content; say if there was one."""
        return self._parts.context.remove(label)

    def get_context_block(self, label: str) -> ContextBlock | None:
        return self._parts.context.find(label)

    def get_context_blocks(self) -> list[ContextBlock]:
        return self._parts.context.blocks()

    def replace_context_block(self, label: str, content: str) -> ContextBlock:
        """
        Write a block anew.

        :raises UnknownBlock: if there is none of that label
        :raises ReadonlyBlock: if it is not to be written
        :raises KeyedBlock: if it holds entries
        :raises ExceedsMaxTokens: if that is more than it may take
        """
        return self._parts.context.write(label, content, append=False)

    def append_context_block(self, label: str, content: str) -> ContextBlock:
        """Add to a block, on a new line; raises as ``replace_context_block``."""
        return self._parts.context.write(label, content, append=True)

    def freeze_system_prompt(self) -> str:
        """Return the system prompt, rendered once and the same until it is refreshed."""
        return self._parts.context.freeze()

    def refresh_system_prompt(self) -> str:
        """Render the system prompt as the blocks are now, and freeze that."""
        return self._parts.context.refresh()

    def tools(self) -> dict[str, Tool]:
        """Return the tools that the blocks need, by their names."""
        return self._parts.context.tools()

    def get_loaded_skill_keys(self) -> set[str]:
        """Return what is loaded, each as ``label:key``."""
        return {f"{skill.label}:{skill.key}" for skill in self._parts.context.loaded()}

    def unload_skill(self, label: str, key: str) -> bool:
        """
        Take a loaded skill out of the history, and say whether it was there.

        That is a call of the tool, appended as a message, so it lasts and can be seen.
        """
        tool = self.tools().get(UNLOAD)
        if tool is None or Skill(label, key) not in self._parts.context.loaded():
            return False
        arguments = {"label": label, "key": key}
        call = {
            "type": f"tool-{UNLOAD}",
            "toolName": UNLOAD,
            "state": "output-available",
            "input": arguments,
            "output": tool.execute(arguments),
        }
        self.append_message({"role": "assistant", "parts": [call]})
        return True
