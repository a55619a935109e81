from __future__ import annotations

import pytest

from sessions_app.models import Agent, Session
from tests.api import Api, api_of


@pytest.fixture
def api(session: Session, agent: Agent) -> Api:
    """A client of the agent that has the session ``trip``."""
    return api_of(agent)


@pytest.fixture
def reader(agent: Agent) -> Api:
    return api_of(agent, "read")


@pytest.fixture
def admin(session: Session, agent: Agent) -> Api:
    return api_of(agent, "admin")


@pytest.fixture
def outsider(stranger: Agent) -> Api:
    return api_of(stranger, "admin")
