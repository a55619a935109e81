"""Undoing where sessions share messages."""

from __future__ import annotations

import pytest
from django.db import connection

from sessions_app.errors import NotFound
from sessions_app.models import (
    Message,
)
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import clear_session
from sessions_app.services.undoing.changes import (
    changes_of,
    undo_change,
)
from tests.builders import (
    draft,
    fresh,
    say,
    seen,
    talk,
)
from tests.changes import body, delete, edit, undo


@pytest.mark.parametrize("mode", ["reparent", "subtree"])
def test_forks_from_before_and_after_are_not_touched(session, mode):
    talk(session, "a b c d")
    before = fork_session(session=session, key="before")
    delete(session, "b", mode)
    after = fork_session(session=session, key="after")
    say(after, "e")
    shown = "a c d e" if mode == "reparent" else "a e"

    undo(session)

    assert (seen(session), seen(before), seen(after)) == ("a b c d", "a b c d", shown)
    connection.check_constraints()


def test_a_fork_undoes_after_it_was_detached(session):
    talk(session, "a b")
    fork = fork_session(session=session, key="fork")
    talk(fork, "c d e f")
    edit(fork, "c", "new words")
    delete(fork, "d f")
    delete(fork, "c", "subtree")
    edit(session, "a", "which the fork shares")
    assert fresh(fork).fork_point is None
    say(fork, "g")

    undo(fork)
    undo(fork, back=1)
    undo(fork, back=2)

    assert seen(fork, "f") == "a b c d e f"
    assert body(fork, "c") == draft("c", "c").body
    assert body(fork, "a") == draft("a", "a").body
    connection.check_constraints()


def test_a_fork_that_is_cleared_comes_back_as_it_was(session):
    talk(session, "a b")
    fork = fork_session(session=session, key="fork")
    talk(fork, "c")
    clear_session(session=fork)
    edit(session, "a", "another")

    undo(fork)

    assert (seen(fork), body(fork, "a")) == ("a b c", draft("a", "a").body)


def test_keys_are_not_given_twice(session):
    """Neither where a detached fork's last message, past all others, is deleted."""
    talk(session, "a b")
    fork = fork_session(session=session, key="fork")
    talk(fork, "c")
    edit(session, "a", "another")
    delete(fork, "c")
    say(session, "d")

    undo(fork)

    assert (seen(fork), seen(session)) == ("a b c", "a b d")
    assert Message.objects.count() == 6


def test_another_sessions_changes_are_not_there(session):
    talk(session, "a b")
    fork = fork_session(session=session, key="fork")
    delete(session, "b")
    change = changes_of(session)[0].id

    with pytest.raises(NotFound):
        undo_change(session=fork, change=change)
