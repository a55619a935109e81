from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.models import Agent, ApiKey, IdempotencyRecord, Job, Session
from sessions_app.services import jobs
from sessions_app.services.registry import purging

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent():
    return Agent.objects.create(name="support")


def ago(**duration):
    return now() - timedelta(**duration)


def test_expired_sessions_go(agent):
    Session.objects.create(agent=agent, key="over", expires_at=ago(seconds=1))
    Session.objects.create(agent=agent, key="coming", expires_at=ago(seconds=-60))
    Session.objects.create(agent=agent, key="lasting")

    assert purging.purge_expired_sessions() == 1

    left = Session.objects.order_by("key").values_list("key", flat=True)
    assert list(left) == ["coming", "lasting"]


def test_ephemeral_sessions_go_however_many(agent, monkeypatch):
    monkeypatch.setattr(purging, "SESSIONS", 2)
    for number in range(5):
        Session.objects.create(agent=agent, key=f"passing {number}", ephemeral=True)
    Session.objects.create(agent=agent, key="lasting")

    assert purging.purge_ephemeral() == 5

    assert Session.objects.get().key == "lasting"


def test_jobs_that_were_finished_a_week_ago_go(monkeypatch):
    monkeypatch.setattr(purging, "ROWS", 2)
    for _ in range(5):
        Job.objects.create(name="old", finished_at=ago(days=8))
    Job.objects.create(name="new", finished_at=ago(days=6))
    Job.objects.create(name="waiting", created_at=ago(days=30))

    assert purging.purge_finished_jobs() == 5

    left = Job.objects.order_by("name").values_list("name", flat=True)
    assert list(left) == ["new", "waiting"]


def test_idempotency_records_go_after_a_day():
    key = ApiKey.objects.create(scope="admin")
    for name, age in ("old", ago(hours=25)), ("new", ago(hours=23)):
        IdempotencyRecord.objects.create(api_key=key, key=name, created_at=age)

    assert purging.purge_idempotency_records() == 1

    assert IdempotencyRecord.objects.get().key == "new"


def test_the_worker_calls_them():
    assert {function.__name__ for function in jobs._periodic} >= {
        "purge_expired_sessions",
        "purge_finished_jobs",
        "purge_idempotency_records",
    }
