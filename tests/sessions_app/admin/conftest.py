"""A database with some of everything, and people who may do more or less with it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from pytest_django import Settings

from sessions_app.models import (
    Agent,
    ApiKey,
    IdempotencyRecord,
    Job,
    Price,
    Session,
    Upload,
)
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.jobs import enqueue
from sessions_app.services.prices import save_price
from sessions_app.services.registry.keys import create_key
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.webhooks import create_webhook, send_test
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import set_label
from tests.budgeting import limit
from tests.builders import compact, talk


@pytest.fixture(autouse=True)
def _passwords_are_hashed_fast(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def trip(agent: Agent) -> Session:
    """a - b - c - d, of which b and c are compacted, b has a label, and c is forked."""
    trip = create_session(agent=agent, key="trip", name="Trip", metadata={"n": 1})
    talk(trip, "a b c d")
    compact(trip, "b", "c", "Short")
    set_label(session=trip, uid="b", text="start here")
    add_usage(
        session=trip,
        tokens=Tokens(input_tokens=10, output_tokens=3),
        cost=Decimal("0.0042"),
        message="d",
        model="gpt-5",
        response_id="r1",
        raw='{"total_tokens":13}',
    )
    trip.refresh_from_db()
    return trip


@pytest.fixture
def fork(trip: Session) -> Session:
    return fork_session(session=trip, at="c", name="Other way", key="fork")


@pytest.fixture
def job(db: None) -> Job:
    job = enqueue("compact_session", dedupe_key="trip", session=1)
    assert job
    return job


@pytest.fixture
def key(agent: Agent) -> ApiKey:
    return create_key(agent=agent, name="bot")[0]


@pytest.fixture
def everything(fork: Session, job: Job, key: ApiKey) -> None:
    limit("5", session=fork)
    send_test(webhook=create_webhook(agent=fork.agent, url="http://127.0.0.1:9/"))
    save_price(Price(provider="openai", model="gpt-5", input=1, output=2))
    Upload.objects.create(agent="support")
    _change_messages(fork.agent)
    IdempotencyRecord.objects.create(
        api_key=key, key="retry-1", digest="0" * 64, status=201, content='{"id":"x"}'
    )


def _change_messages(agent: Agent) -> None:
    """Delete a message that had a usage row, and was the end of a compaction."""
    session = create_session(agent=agent, key="changed")
    talk(session, "a b c")
    compact(session, "a", "b", "Short")
    add_usage(session=session, tokens=Tokens(input_tokens=1), message="b")
    delete_messages(session=session, uids=["b"])


@pytest.fixture
def viewer(db: None) -> Client:
    """Somebody who may look at everything, and change nothing."""
    user = User.objects.create_user("viewer", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = Client()
    client.force_login(user)
    return client
