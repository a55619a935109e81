"""
Who is told of what happens to a session, for apps that this one does not know of.

They add themselves when they start (``AppConfig.ready``). Each is called inside the
transaction of what happens, and what it raises undoes that: so it has to be quick, and
must call neither a model nor a network.
"""

from __future__ import annotations

from collections.abc import Callable

from sessions_app.models import Agent, Session

# A new, empty session.
created: list[Callable[[Session], None]] = []
# A session, and the one that goes on from it: a fork, or what it was split into.
forked: list[Callable[[Session, Session], None]] = []
# A session that has lost its messages.
cleared: list[Callable[[Session], None]] = []
# A session of which a summary covers a stretch since now.
compacted: list[Callable[[Session], None]] = []
# A session, or an agent without sessions, that is about to be deleted.
deleting: list[Callable[[Session], None]] = []
agent_deleting: list[Callable[[Agent], None]] = []


def tell_created(session: Session) -> None:
    for follower in created:
        follower(session)


def tell_forked(session: Session, fork: Session) -> None:
    for follower in forked:
        follower(session, fork)


def tell_cleared(session: Session) -> None:
    for follower in cleared:
        follower(session)


def tell_compacted(session: Session) -> None:
    for follower in compacted:
        follower(session)


def tell_deleting(session: Session) -> None:
    for follower in deleting:
        follower(session)


def tell_agent_deleting(agent: Agent) -> None:
    for follower in agent_deleting:
        follower(agent)
