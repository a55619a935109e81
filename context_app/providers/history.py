"""All that an agent ever said, as a block that its models can search."""

from __future__ import annotations

from context_app.models import Block
from sessions_app.models import Session
from sessions_app.search import Scope
from sessions_app.services.searching import find_messages

# How many messages a search gives a model.
BEST = 10
DESCRIPTION = "Cross-session conversation history"


class History:
    """The messages of all sessions of the block's agent."""

    def __init__(self, block: Block) -> None:
        self.block = block

    def get(self) -> str | None:
        count = Session.objects.filter(agent=self._agent()).living().count()
        if not count:
            return None
        return (
            f"{count} {'session' if count == 1 else 'sessions'} available for search."
        )

    def load(self, key: str) -> str | None:
        return None

    def search(self, query: str) -> str | None:
        return search_sessions(self._agent(), query)

    def _agent(self) -> int:
        session = self.block.session
        agent = session.agent_id if session else self.block.agent_id
        assert agent is not None  # noqa: S101 (a block belongs to one of the two)
        return agent


def search_sessions(agent_id: int, query: str) -> str | None:
    """
    Return the ten best messages of an agent, as the reference prints them.

    :raises InvalidQuery: if the query cannot be answered as it stands
    """
    found = find_messages(text=query, scope=Scope(agent=agent_id), limit=BEST)
    return "\n---\n".join(f"[{hit.role}] {hit.content}" for hit in found.hits) or None
