"""What goes by itself: sessions whose time is over, and old notes of our own."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils.timezone import now

from sessions_app.models import (
    Delivery,
    IdempotencyRecord,
    Job,
    MessageChange,
    Session,
)
from sessions_app.services.jobs import periodic
from sessions_app.services.registry.sessions import delete_session

MINUTE = 60.0
HOUR = 60 * MINUTE

KEEP_JOBS = timedelta(days=7)
KEEP_IDEMPOTENCY = timedelta(hours=24)
KEEP_DELIVERIES = timedelta(days=30)

# How many go in one transaction: it holds the write lock, so it is to be short.
SESSIONS = 20
ROWS = 500


@periodic(MINUTE)
def purge_expired_sessions() -> int:
    """Delete the sessions whose time to live has ended; return how many."""
    return _delete_sessions(Session.objects.filter(expires_at__lte=now()))


@periodic(HOUR)
def purge_trash() -> int:
    """Delete what has been in the trash for so many days; return how many sessions."""
    if not settings.TRASH_DAYS:
        return 0
    old = now() - timedelta(days=settings.TRASH_DAYS)
    return _delete_sessions(Session.objects.filter(trashed_at__lte=old))


@periodic(HOUR)
def purge_message_changes() -> int:
    """Forget what messages were before, as long ago as the trash is kept; return how many rows."""
    if not settings.TRASH_DAYS:
        return 0
    old = now() - timedelta(days=settings.TRASH_DAYS)
    return _delete_rows(MessageChange.objects.filter(created_at__lte=old))


def purge_ephemeral() -> int:
    """Delete the sessions that do not outlive the server; return how many."""
    return _delete_sessions(Session.objects.filter(ephemeral=True))


@periodic(HOUR)
def purge_finished_jobs() -> int:
    """Delete the jobs that were finished a week ago; return how many."""
    return _delete_rows(Job.objects.filter(finished_at__lt=now() - KEEP_JOBS))


@periodic(HOUR)
def purge_idempotency_records() -> int:
    """Delete the first answers that are a day old; return how many."""
    old = now() - KEEP_IDEMPOTENCY
    return _delete_rows(IdempotencyRecord.objects.filter(created_at__lt=old))


@periodic(HOUR)
def purge_deliveries() -> int:
    """Delete the deliveries that were made a month ago; return how many."""
    old = now() - KEEP_DELIVERIES
    return _delete_rows(Delivery.objects.filter(created_at__lt=old))


def _delete_sessions(sessions: QuerySet[Session]) -> int:
    deleted = 0
    while batch := _delete_some_sessions(sessions):
        deleted += batch
    return deleted


@transaction.atomic
def _delete_some_sessions(sessions: QuerySet[Session]) -> int:
    # Forks first, so that nothing is copied for one that goes as well. A session that
    # somebody writes to just now is left for the next time.
    locked = sessions.select_for_update(skip_locked=True).order_by("-id")
    batch = list(locked[:SESSIONS])
    for session in batch:
        delete_session(session=session)
    return len(batch)


def _delete_rows(rows: QuerySet[Any]) -> int:
    deleted = 0
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS]):
        deleted += _delete(rows.model, keys)
    return deleted


@transaction.atomic
def _delete(model: type[Model], keys: list[int]) -> int:
    return model._default_manager.filter(pk__in=keys).delete()[0]
