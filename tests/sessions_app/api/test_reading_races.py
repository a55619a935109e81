"""Reading while somebody writes: whatever comes between two statements of a request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial

import pytest
from django.db import connection

from sessions_app import sql
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import put_message
from sessions_app.sql.snapshots import snapshot
from tests.builders import draft, fresh, talk

pytestmark = pytest.mark.django_db(transaction=True)

# More statements than any of these requests takes.
MOST = 12

READINGS = [
    "/messages/c",
    "/messages/b/branches",
    "/history",
    "/history?envelope=1",
    "/history?leaf=d&after=a&before=d&envelope=1",
    "/leaves",
    "/tree",
]


@contextmanager
def after_statement(number: int, act: Callable[[], None]):
    """Have something done elsewhere after the nth statement of a block; 0 is never."""
    left = [number]

    def wrapper(execute, *args):
        result = execute(*args)
        left[0] -= 1
        if left[0] == 0:
            thread = threading.Thread(target=act)
            thread.start()
            thread.join()
        return result

    with connection.execute_wrapper(wrapper):
        yield


def made(agent, key):
    session = create_session(agent=agent, key=key)
    talk(session, "a b c d e f")
    return fresh(session)


def answer(api, session, path):
    response = api.get(f"/sessions/{session.key}{path}")
    return response.status_code, without_times(response.json())


def edit_and_delete(session):
    put_message(session=session, draft=draft("changed", "c"))
    delete_messages(session=session, uids=["d"], mode="subtree")


def delete_two(session):
    delete_messages(session=session, uids=["b", "d"])


@pytest.mark.parametrize("act", [edit_and_delete, delete_session])
@pytest.mark.parametrize("path", READINGS)
def test_a_fork_is_seen_as_it_was_while_it_comes_apart(api, agent, path, act):
    answers = []
    for number in range(MOST):
        source = made(agent, f"source{number}")
        fork = fork_session(session=source, key=f"fork{number}")
        with after_statement(number, partial(act, session=source)):
            answers.append(answer(api, fork, path))

    assert answers[0][0] == 200
    assert answers == [answers[0]] * MOST


@pytest.mark.parametrize("path", READINGS)
def test_a_session_is_seen_before_a_deletion_or_after_it(api, agent, path):
    answers = []
    for number in range(MOST):
        session = made(agent, f"s{number}")
        with after_statement(number, partial(delete_two, session=session)):
            answers.append(answer(api, session, path))

    changed = made(agent, "changed")
    delete_two(session=changed)
    before, after = answers[0], answer(api, changed, path)
    assert before != after
    assert [each for each in answers if each not in (before, after)] == []


def test_a_snapshot_shows_one_moment(agent):
    session = made(agent, "trip")

    def count():
        return sql.one("SELECT count(*) FROM sessions_app_message")[0]

    with snapshot(), after_statement(1, partial(delete_two, session=session)):
        seen = [count(), count()]

    assert seen == [6, 6]
    assert count() == 4


def without_times(value):
    if isinstance(value, dict):
        return {
            key: without_times(each)
            for key, each in value.items()
            if key not in ("created_at", "createdAt")
        }
    return [without_times(each) for each in value] if isinstance(value, list) else value
