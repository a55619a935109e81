"""What is kept of changes, and for how long."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.utils.timezone import now

from sessions_app.errors import NotFound
from sessions_app.models import (
    KeptMessage,
    MessageChange,
)
from sessions_app.services.registry import purging
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.undoing.changes import (
    changes_of,
    forget_changes,
    undo_change,
    versions_of,
)
from tests.builders import (
    draft,
    talk,
)
from tests.changes import delete, edit


def test_what_changes_nothing_is_not_kept(session):
    talk(session, "a")

    edit(session, "a", "a")
    delete(session, "nope")
    delete(session, "nope", "subtree")

    assert not MessageChange.objects.exists()


def test_an_edit_takes_two_statements_more(session):
    talk(session, "a")
    with connection.execute_wrapper(counter := Counter()):
        edit(session, "a", "b")

    kept = [each for each in counter.texts if "messagechange" in each or "kept" in each]
    assert len(kept) == 2


class Counter:
    def __init__(self):
        self.texts = []

    def __call__(self, execute, sql, params, many, context):
        self.texts.append(sql.lower())
        return execute(sql, params, many, context)


def test_versions(session):
    talk(session, "a")
    edit(session, "a", "two", by="one")
    edit(session, "a", "three", by="two")
    delete(session, "a")

    assert [
        (each.change.action, each.change.by, each.body)
        for each in versions_of(session, "a")
    ] == [
        ("reparent", "key x", draft("three", "a").body),
        ("edit", "two", draft("two", "a").body),
        ("edit", "one", draft("a", "a").body),
    ]
    with pytest.raises(NotFound):
        versions_of(session, "nope")


def test_forgetting(session):
    talk(session, "a secret")
    edit(session, "a", "b")
    delete(session, "secret")
    change = changes_of(session)[0].id

    assert forget_changes(session=session) == 2

    assert not KeptMessage.objects.exists()
    with pytest.raises(NotFound):
        undo_change(session=session, change=change)


def test_they_go_with_their_session(session):
    talk(session, "a b")
    delete(session, "b")

    delete_session(session=session)

    assert not MessageChange.objects.exists()
    assert not KeptMessage.objects.exists()


@pytest.mark.parametrize(("days", "purged"), [(30, 1), (0, 0)])
def test_they_are_forgotten_after_so_many_days(session, settings, days, purged):
    settings.TRASH_DAYS = days
    talk(session, "a b")
    delete(session, "b")
    edit(session, "a", "new")
    old = now() - timedelta(days=31)
    MessageChange.objects.filter(action="reparent").update(created_at=old)

    assert bool(purging.purge_message_changes()) == bool(purged)

    assert MessageChange.objects.count() == 2 - purged
