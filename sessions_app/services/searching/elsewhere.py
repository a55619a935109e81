"""
Who else is asked when an operator searches: apps that this one does not know of.

They add themselves when they start (``AppConfig.ready``). Each is given a query, and
an agent and a session to which its finds are to belong, if any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sessions_app.models import Agent, Session
from sessions_app.search.query import Query


@dataclass(slots=True)
class Elsewhere:
    """
    A text that is no message: an entry of a memory block.

    The matches in ``snippet`` stand between the characters 2 and 3.
    """

    block: int
    label: str
    key: str
    version: int
    agent: str
    session: Session | None
    snippet: str
    updated_at: datetime


Finder = Callable[[Query, Agent | None, Session | None], list[Elsewhere]]

finders: list[Finder] = []


def find_elsewhere(
    query: Query, *, agent: Agent | None, session: Session | None
) -> list[Elsewhere]:
    return [found for finder in finders for found in finder(query, agent, session)]
