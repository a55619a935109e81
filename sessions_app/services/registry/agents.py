from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction

from sessions_app.errors import Conflict, NotFound
from sessions_app.messages import check_name
from sessions_app.models import Agent, Session, Usage
from sessions_app.services.forest.followers import tell_agent_deleting
from sessions_app.services.registry.sessions import delete_session


class AgentExists(Conflict):
    code = "agent_exists"


def get_agent(name: str) -> Agent:
    """
    Return the agent of a name.

    :raises NotFound: if there is none
    """
    try:
        return Agent.objects.get(name=name)
    except Agent.DoesNotExist:
        raise NotFound(f"No agent {name!r}: make it first") from None


def get_or_create_agent(name: str) -> Agent:
    """Return the agent of a name, made if need be."""
    check_name(name, "name", 200)
    return Agent.objects.get_or_create(name=name)[0]


def create_agent(name: str, **fields: Any) -> Agent:
    """
    Make an agent.

    :raises AgentExists: if the name is taken
    """
    check_name(name, "name", 200)
    try:
        with transaction.atomic():
            return Agent.objects.create(name=name, **fields)
    except IntegrityError as exc:
        raise AgentExists(f"There is an agent {name!r} already", name=name) from exc


def update_agent(*, agent: Agent, **fields: Any) -> Agent:
    for field, value in fields.items():
        setattr(agent, field, value)
    agent.save(update_fields=list(fields))
    return agent


@transaction.atomic
def delete_agent(*, agent: Agent) -> None:
    """Delete an agent with its sessions, its keys and its ledger."""
    # Forks first, so that nothing is copied for one that goes as well.
    for session in Session.objects.filter(agent=agent).order_by("-id"):
        delete_session(session=session)
    Usage.objects.filter(agent=agent).delete()
    tell_agent_deleting(agent)
    agent.delete()
