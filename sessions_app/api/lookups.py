"""Finding what a request is about, as though nothing of other agents existed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from django.db.models import F

from sessions_app import sql
from sessions_app.api.auth import ApiRequest
from sessions_app.errors import Conflict, NotFound
from sessions_app.models import Agent, Session
from sessions_app.models.fields import now_millis
from sessions_app.models.sessions import SessionQuerySet
from sessions_app.services.registry.agents import get_agent, get_or_create_agent

# Parameters: key, agent (null for all), now.
_OF_KEY = """
FROM sessions_app_session session
WHERE session.key = %(key)s
    AND (CAST(%(agent)s AS bigint) IS NULL OR session.agent_id = %(agent)s)
    AND session.trashed_at IS NULL
    AND (session.expires_at IS NULL OR session.expires_at > %(now)s)
LIMIT 2
"""
TREE = "SELECT session.id, session.fork_point_id" + _OF_KEY
WHOLE = "SELECT session.*" + _OF_KEY

# What is shown of a session's relations, which are not read as a whole.
RELATED = {
    "agent_name": F("agent__name"),
    "parent_key": F("parent_session__key"),
    "fork_point_uid": F("fork_point__uid"),
    "head_uid": F("head__uid"),
    "head_depth": F("head__depth"),
    "head_path_tokens": F("head__path_tokens"),
}


Found = TypeVar("Found")


class Ambiguous(Conflict):
    code = "ambiguous"


class TreeRef(NamedTuple):
    """As much of a session as it takes to read and write its messages."""

    id: int
    fork_point_id: int | None


def get_tree(request: ApiRequest, key: str) -> TreeRef:
    """
    Return the caller's session by its id.

    :raises NotFound: if there is none
    :raises Ambiguous: if a key for all agents does not say which agent's is meant
    """
    return TreeRef(*_find(request, key, lambda named: sql.rows(TREE, **named)))


def get_session(request: ApiRequest, key: str) -> Session:
    """
    Return the caller's session, for services to work with; raises as ``get_tree``.

    Django takes longer to make the statement for ``get`` than this whole reading.
    """
    return _find(request, key, lambda named: list(Session.objects.raw(WHOLE, named)))


def _find(
    request: ApiRequest, key: str, read: Callable[[dict[str, Any]], list[Found]]
) -> Found:
    agent = request.auth.agent_id
    if agent is None and "agent" in request.GET:
        agent = get_agent(request.GET["agent"]).id
    named = {"key": key, "agent": agent, "now": now_millis()}
    found = [] if "\0" in key else read(named)
    if not found:
        raise NotFound(f"No session {key!r}")
    if len(found) > 1:
        raise Ambiguous(
            f"Several agents have a session {key!r}: say which with ?agent="
        )
    return found[0]


def shown_sessions() -> SessionQuerySet:
    """Return sessions with what is shown of their relations: ``RELATED``."""
    return Session.objects.annotate(**RELATED)


def named_agent(request: ApiRequest, name: str | None) -> Agent:
    """
    Return the agent that a request is for: the key's, or the one that is named, by
    ``name`` or with ``?agent=``.

    A key for all agents that names none means the default agent.

    :raises NotFound: if there is none of that name, or it is not the key's
    """
    own = request.auth.agent_id
    if own is None:
        name = name or request.GET.get("agent")
        return get_agent(name) if name else get_or_create_agent(Agent.DEFAULT)
    agent = Agent.objects.get(id=own)
    if name is not None and name != agent.name:
        raise NotFound(f"No agent {name!r}")
    return agent
