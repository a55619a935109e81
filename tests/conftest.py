"""What every test may use. Test modules import further shared code from ``tests.<name>``."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.test import override_settings
from hypothesis import settings

from memoryhub.dash import attention
from sessions_app.models import Agent, Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.prices import forget_prices
from sessions_app.services.registry.agents import create_agent
from tests.api import Api, api_of
from tests.people import manager, operator, viewer

__all__ = ["manager", "operator", "viewer"]

# The same examples in each run, however slow the machine. To look for new ones:
# pytest --hypothesis-profile=default, or long
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("long", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile("same")

# Connections to the database, as the tests open them: each thread has its own.
opened: set[BaseDatabaseWrapper] = set()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """
    Give each run and each worker a SQLite file in a folder of its own.

    A -wal or a lock that a killed run left beside a database cannot come near the
    next one's, and two runs at once do not meet.
    """
    if connection.vendor == "sqlite":
        folder = tmp_path_factory.mktemp("database")
        connection.settings_dict["TEST"]["NAME"] = folder / "test.sqlite3"


@pytest.fixture(scope="session", autouse=True)
def _passwords_are_hashed_quickly() -> Iterator[None]:
    """Nearly every test of a page makes a user; servers of tests hash as they do."""
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with override_settings(PASSWORD_HASHERS=hashers):
        yield


@pytest.fixture(scope="session", autouse=True)
def _connections_are_noted() -> Iterator[None]:
    def note(connection: BaseDatabaseWrapper, **kwargs: object) -> None:
        opened.add(connection)

    connection_created.connect(note)
    yield
    connection_created.disconnect(note)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """
    Close what a test's threads have left open, before its tables are emptied.

    An open connection would warn when it is collected, in whichever test runs by
    then, and on PostgreSQL nobody could drop the database. While a browser is open its
    event loop runs in this thread, and no connection may be used.
    """
    if asyncio._get_running_loop() is not None:
        return
    for other in opened.difference(connections.all(initialized_only=True)):
        other.inc_thread_sharing()
        other.close()
        opened.remove(other)


@pytest.fixture(autouse=True)
def _prices_are_looked_up_anew() -> None:
    """What a test before has put in the price table is not there any more."""
    forget_prices()


@pytest.fixture(autouse=True)
def _nothing_needs_attention() -> None:
    """Pages do not count anew what needs attention, however long a test takes."""
    attention._kept[:] = [(math.inf, 0)]


@pytest.fixture
def agent(db: None) -> Agent:
    return create_agent("support")


@pytest.fixture
def stranger(db: None) -> Agent:
    """Another agent, whose data is not to be seen, and who is to see nothing."""
    return create_agent("stranger")


@pytest.fixture
def session(agent: Agent) -> Session:
    return create_session(agent=agent, key="trip")


@pytest.fixture
def api(agent: Agent) -> Api:
    """A client with a key of the agent, to read and write."""
    return api_of(agent)


@pytest.fixture
def stranger_api(stranger: Agent) -> Api:
    return api_of(stranger)


@pytest.fixture
def anonymous(db: None) -> Api:
    """A client without a key."""
    return Api(None)


@pytest.fixture
def admin_api(db: None) -> Api:
    """A client with a key for all agents."""
    return api_of(None, "admin")
