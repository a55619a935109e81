"""What a tool is: how a model is told of it, and what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from context_app.authors import Author, by_tool
from context_app.loading import Skill
from context_app.providers import PythonBlock
from context_app.services.contexts import ContextBlock, context_of
from context_app.services.policies import policy_of
from context_app.services.rules import check_text
from context_app.services.skills import loaded_skills, note_call
from sessions_app.errors import Invalid
from sessions_app.formats import Definition
from sessions_app.models import Session

Arguments = Mapping[str, Any]


class BadArguments(Invalid):
    """A model called a tool with what the tool cannot take."""

    code = "bad_arguments"


@dataclass
class Desk:
    """
    What the tools of a session work on, at the time of a call.

    ``leaf`` is the message that the answer with the call follows; None: the head.
    """

    session: Session
    caller: Author
    own: Sequence[PythonBlock] = ()
    leaf: str | None = None

    @cached_property
    def blocks(self) -> list[ContextBlock]:
        return context_of(self.session, self.own)

    @cached_property
    def loaded(self) -> list[Skill]:
        return loaded_skills(self.session, self.leaf)

    @cached_property
    def searches_sessions(self) -> bool:
        return policy_of(self.session.agent_id).session_search

    def author(self, tool: str) -> Author:
        return by_tool(tool, self.caller)

    def note(self, skill: Skill, *, loaded: bool) -> None:
        """Remember a load or an unload until the messages of its turn come."""
        note_call(self.session, skill, loaded=loaded, leaf=self.leaf)


class Tool(NamedTuple):
    """
    A tool: its ``define`` for a session, None where no block needs it, and ``run``,
    of which every outcome is a text for the model.
    """

    define: Callable[[Desk], Definition | None]
    run: Callable[[Desk, Arguments], str]


def text_argument(arguments: Arguments, name: str) -> str:
    """
    :raises BadArguments: if a call does not say what it must
    """
    value = arguments.get(name)
    if not isinstance(value, str):
        raise BadArguments(f'"{name}" must be a string')
    check_text(value, name)
    return value


def of_labels(blocks: Sequence[ContextBlock], **properties: Any) -> dict[str, Any]:
    """Return a schema that takes the label of one of the blocks, and more."""
    labels = [block.label for block in blocks]
    return {
        "type": "object",
        "properties": {"label": {"type": "string", "enum": labels}, **properties},
        "required": ["label", *properties],
    }


def labels_of(blocks: Sequence[ContextBlock]) -> str:
    return ", ".join(block.label for block in blocks)
