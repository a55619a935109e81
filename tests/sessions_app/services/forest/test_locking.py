from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest
from django.db import connection, transaction

from sessions_app.errors import NotFound
from sessions_app.models import Message, Session
from sessions_app.search.backends import backend
from sessions_app.search.documents import missing, orphans
from sessions_app.services.forest.creating import SessionExists, create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import read_history
from sessions_app.services.forest.locking import lock_session, lock_session_row
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.conflicts import HeadMoved
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import put_message
from tests.builders import append, draft, fresh, head, say, seen, talk

THREADS = 6
ROUNDS = 15

at_once = pytest.mark.django_db(transaction=True)


def race(*functions):
    """Call functions at the same time, each in a thread; return what they returned."""
    barrier = Barrier(len(functions))

    def start(function):
        barrier.wait()
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(start, functions))


def test_lock_session(session):
    stale = fresh(session)
    say(session, "a")

    with transaction.atomic():
        locked = lock_session(stale)

    assert locked.head == session.messages.get()


def test_lock_session_row(session):
    message = say(session, "a")

    with transaction.atomic():
        row = lock_session_row(session.id)

    assert row[:5] == (session.id, message.id, None, 1, 0)


def test_a_session_that_is_gone(session):
    stale = fresh(session)
    delete_session(session=session)

    with pytest.raises(NotFound), transaction.atomic():
        lock_session(stale)
    with pytest.raises(NotFound), transaction.atomic():
        lock_session_row(stale.id)


@at_once
def test_appends_at_once_make_one_path(session):
    def write(number):
        return lambda: [
            append(session, draft("", f"{number}-{i}"), draft("", f"{number}-{i}b"))
            for i in range(ROUNDS)
        ]

    race(*(write(number) for number in range(THREADS)))

    count = THREADS * ROUNDS * 2
    assert read_history(fresh(session)).path_length == count
    assert fresh(session).message_count == count
    assert sorted(session.messages.values_list("seq", flat=True)) == list(range(count))


@at_once
def test_of_those_who_expect_the_same_head_one_wins(session):
    say(session, "root")

    def answer(number):
        def function():
            try:
                append(session, draft("", f"m{number}"), expected_head="root")
            except HeadMoved as error:
                return error.details["head"]

        return function

    lost = [winner for winner in race(*map(answer, range(THREADS))) if winner]

    assert len(lost) == THREADS - 1
    assert set(lost) == {head(session)}
    assert session.messages.count() == 2


@at_once
def test_a_batch_that_is_sent_at_once_is_written_once(session):
    done = race(*[lambda: append(session, draft("", "a"), draft("", "b"))] * THREADS)

    assert sum(each.created for each in done) == 1
    assert seen(session) == "a b"


@at_once
def test_a_response_that_is_reported_at_once_is_counted_once(session):
    def report():
        return add_usage(session=session, tokens=Tokens(1), response_id="r1")[1]

    assert sorted(race(*[report] * THREADS)) == [False] * (THREADS - 1) + [True]
    assert fresh(session).input_tokens == 1


@at_once
def test_sessions_that_come_apart_while_others_write(session):
    """Forks of forks are made, written to and read, while what they share is changed."""
    uids = [f"m{i}" for i in range(ROUNDS)]
    talk(session, " ".join(["root", *uids, "end"]))
    forks = [fork_session(session=session, at="end") for _ in range(2)]

    def change():
        for uid in uids:
            put_message(session=session, draft=draft("changed", uid))
            delete_messages(session=session, uids=[uid])

    def write(fork):
        def function():
            for i in range(ROUNDS):
                say(fork, f"own{i}")
                nested = fork_session(session=fork, at="end")
                append(nested, draft("", "x"), parent=uids[i])

        return function

    def read(fork):
        def function():
            for _ in range(ROUNDS):
                found = read_history(fresh(fork))
                assert found.path_length == len(found.steps) >= len(uids) + 2
                assert not any("changed" in step.body for step in found.steps)

        return function

    race(change, *map(write, forks), *map(read, forks))

    assert seen(session) == "root end"
    check_forks(forks, uids)
    texts = Message.objects.exclude(session=session).values_list("body", flat=True)
    assert not any("changed" in text for text in texts)
    assert (missing(), orphans()) == (0, 0)
    backend().check()
    connection.check_constraints()


def check_forks(forks, uids):
    own = [f"own{i}" for i in range(ROUNDS)]
    for fork in forks:
        assert seen(fork).split() == ["root", *uids, "end", *own]
        nested = Session.objects.filter(parent_session=fork).order_by("id")
        for i, each in enumerate(nested):
            assert seen(each).split() == ["root", *uids[: i + 1], "x"]


@at_once
def test_sessions_that_are_deleted_while_others_fork_them(session):
    talk(session, "a b c")
    forks = [fork_session(session=session) for _ in range(THREADS)]

    def fork(source):
        return lambda: [fork_session(session=source) for _ in range(ROUNDS)]

    race(*map(fork, forks), lambda: delete_session(session=session))

    assert Session.objects.count() == THREADS * (ROUNDS + 1)
    for each in Session.objects.all():
        assert seen(each) == "a b c"
    connection.check_constraints()


@at_once
def test_forks_of_one_key(agent):
    sessions = [create_session(agent=agent, key=f"s{n}") for n in range(THREADS)]

    def fork(session):
        try:
            return fork_session(session=session, key="taken").key
        except SessionExists as exc:
            return exc.code

    for _ in range(ROUNDS):
        answers = race(*[partial(fork, session) for session in sessions])
        assert sorted(answers) == ["session_exists"] * (THREADS - 1) + ["taken"]
        delete_session(session=Session.objects.get(key="taken"))
