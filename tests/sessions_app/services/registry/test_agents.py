from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.errors import Invalid, NotFound
from sessions_app.models import Agent, ApiKey, Message, Session, Usage
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.agents import (
    AgentExists,
    create_agent,
    delete_agent,
    get_agent,
    get_or_create_agent,
    update_agent,
)
from sessions_app.services.registry.keys import create_key
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.builders import seen, talk

pytestmark = pytest.mark.django_db


def test_create():
    agent = create_agent("support", description="Helps", compact_after=1000)

    assert Agent.objects.get() == agent
    assert (agent.name, agent.description, agent.compact_after) == (
        "support",
        "Helps",
        1000,
    )


def test_create_one_that_exists(agent):
    with pytest.raises(AgentExists) as caught:
        create_agent("support")

    assert caught.value.code == "agent_exists"
    assert caught.value.details == {"name": "support"}


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 201])
def test_a_name_that_is_none(name):
    for function in (create_agent, get_or_create_agent):
        with pytest.raises(Invalid):
            function(name)

    assert not Agent.objects.exists()


def test_get(agent):
    assert get_agent("support") == agent


def test_get_one_that_is_not_there(agent):
    with pytest.raises(NotFound):
        get_agent("Support")


def test_get_or_create(agent):
    assert get_or_create_agent("support") == agent
    assert get_or_create_agent("sales") == get_or_create_agent("sales")
    assert Agent.objects.count() == 2


def test_update(agent):
    update_agent(agent=agent, description="Helps", metadata={"team": "A"})

    agent.refresh_from_db()
    assert (agent.description, agent.metadata) == ("Helps", {"team": "A"})


def test_delete(agent, session, stranger):
    talk(session, "a b c")
    fork = fork_session(session=session)
    talk(fork, "d")
    add_usage(session=session, tokens=Tokens(1), message="a")
    create_key(agent=agent)
    other = create_session(agent=stranger)
    talk(other, "a b")
    create_key(agent=stranger)

    delete_agent(agent=agent)

    assert list(Agent.objects.all()) == [stranger]
    assert list(Session.objects.all()) == [other]
    assert ApiKey.objects.get().agent == stranger
    assert Message.objects.count() == 2
    assert not Usage.objects.exists()
    assert seen(other) == "a b"
    connection.check_constraints()


def test_delete_copies_nothing_for_what_goes_as_well(agent, session):
    talk(session, "a b c")
    fork_session(session=fork_session(session=session))

    with CaptureQueriesContext(connection) as queries:
        delete_agent(agent=agent)

    assert not any("INSERT" in query["sql"] for query in queries)
