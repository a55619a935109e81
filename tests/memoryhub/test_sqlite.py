from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.core import checks
from django.core.checks import run_checks
from django.db import (
    IntegrityError,
    OperationalError,
    connection,
    connections,
    transaction,
)

from memoryhub import sqlite
from memoryhub.checks import safe_sqlite
from memoryhub.sqlite.lock import WriteLock, lock_for
from sessions_app.models import Agent, ApiKey
from sessions_app.services.registry.agents import create_agent

only_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="of SQLite only")


def pragma(name):
    with connection.cursor() as cursor:
        return cursor.execute(f"PRAGMA {name}").fetchone()[0]


# The SQLite in use


@only_sqlite
@pytest.mark.django_db(transaction=True)
def test_savepoints_have_the_same_names_in_each_transaction():
    """Under new ones the driver would soon keep no other statement prepared."""
    names = []
    for _ in range(2):
        with transaction.atomic(), transaction.atomic(), transaction.atomic():
            names.append(connection.savepoint_ids[:])

    assert names[0] == names[1]
    assert len(set(names[0])) == 2


def test_it_is_safe():
    assert sqlite3.sqlite_version_info >= (3, 51, 3)
    assert sqlite.is_safe()


@only_sqlite
@pytest.mark.django_db
def test_its_settings():
    assert pragma("journal_mode") == "wal"
    assert pragma("synchronous") == 2  # FULL
    assert pragma("foreign_keys") == 1
    assert pragma("busy_timeout") == 5000
    assert pragma("mmap_size") == 0


@only_sqlite
def test_the_check_passes():
    assert safe_sqlite() == []
    assert [each for each in run_checks() if each.id == "memoryhub.E001"] == []


@only_sqlite
def test_an_unsafe_one_is_refused(monkeypatch, settings):
    monkeypatch.setattr(sqlite, "is_safe", lambda: False)

    (found,) = safe_sqlite()
    assert (found.id, found.level) == ("memoryhub.E001", checks.ERROR)

    settings.ALLOW_UNSAFE_SQLITE = True
    (found,) = safe_sqlite()
    assert found.level == checks.WARNING


# The lock on a file


@pytest.fixture
def database(tmp_path):
    return str(tmp_path / "test.sqlite3")


def test_a_process_has_one_lock_for_a_database(database):
    assert lock_for(database) is lock_for(database)
    assert lock_for(database) is not lock_for(database + "2")


def test_it_is_had_once(tmp_path):
    path = tmp_path / "lock"
    first, second = WriteLock(path), WriteLock(path)

    assert first.acquire(0)
    assert not first.acquire(0)
    assert not second.acquire(0.01)
    first.release()

    assert second.acquire(0)
    assert not first.acquire(0)
    second.release()


def test_a_file_that_cannot_be_made_leaves_it_free(tmp_path):
    lock = WriteLock(tmp_path / "missing" / "lock")

    with pytest.raises(FileNotFoundError):
        lock.acquire(0)

    (tmp_path / "missing").mkdir()
    assert lock.acquire(0)
    lock.release()


def test_threads_come_in_turn(database):
    lock, inside, turns = lock_for(database), [], []

    def work(number):
        for _ in range(100):
            assert lock.acquire(10)
            inside.append(number)
            turns.append(len(inside))
            inside.remove(number)
            lock.release()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert turns == [1] * 400


COUNT = """
import sys
from pathlib import Path
from memoryhub.sqlite.lock import lock_for

lock, counter = lock_for(sys.argv[1]), Path(sys.argv[2])
for _ in range(200):
    assert lock.acquire(30)
    counter.write_text(str(int(counter.read_text()) + 1))
    lock.release()
"""


def start(script, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_come_in_turn(database, tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")

    processes = [start(COUNT, database, counter) for _ in range(3)]
    for process in processes:
        process.communicate()
        assert process.returncode == 0

    assert counter.read_text() == "600"


HOLD = """
import sys
from memoryhub.sqlite.lock import lock_for

assert lock_for(sys.argv[1]).acquire(1)
print("held", flush=True)
sys.stdin.read()
"""


def test_it_goes_with_the_process_that_held_it(database):
    process = start(HOLD, database)
    assert process.stdout.readline() == "held\n"
    assert not lock_for(database).acquire(0)

    process.kill()
    process.communicate()

    assert lock_for(database).acquire(0)
    lock_for(database).release()


FORK = """
import os, sys
from memoryhub.sqlite import lock
from memoryhub.sqlite.lock import lock_for

ours = lock_for(sys.argv[1])
assert ours.acquire(1)
lock._guard.acquire()
if os.fork() == 0:
    theirs = lock_for(sys.argv[1])
    print(theirs is ours, theirs.acquire(0), flush=True)
    sys.stdin.read()
    os._exit(0)
sys.stdin.read()
"""


def test_a_forked_child_starts_anew(database):
    process = start(FORK, database)
    assert process.stdout.readline() == "False False\n"

    # The parent goes. The child lives on, and does not hold what the parent held.
    process.kill()
    process.wait()
    assert lock_for(database).acquire(5)

    lock_for(database).release()
    process.communicate()


# The lock around transactions


@pytest.fixture
def impatient(transactional_db, monkeypatch):
    """Have those who want to write wait for no longer than a moment."""
    if connection.vendor != "sqlite":
        pytest.skip("of SQLite only")
    set_timeout(monkeypatch, 0.05)


def set_timeout(monkeypatch, seconds):
    monkeypatch.setitem(
        connections["default"].settings_dict["OPTIONS"], "timeout", seconds
    )


@pytest.fixture
def elsewhere(impatient):
    """Call a function in another thread, with a database connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        yield lambda function, *args: pool.submit(function, *args).result()


def write(name):
    with transaction.atomic():
        create_agent(name)


def is_free(elsewhere):
    elsewhere(write, "someone else")
    return True


class Refused(Exception):
    pass


def test_a_second_writer_is_refused_in_time(elsewhere):
    with transaction.atomic():
        create_agent("first")
        with pytest.raises(OperationalError, match="database is locked"):
            elsewhere(write, "second")

    assert is_free(elsewhere)
    assert not Agent.objects.filter(name="second").exists()


def test_a_second_writer_waits(elsewhere, monkeypatch):
    set_timeout(monkeypatch, 30)
    waiting, names = Event(), []

    def follow():
        waiting.set()
        write("second")
        names.append("second")

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            done = pool.submit(follow)
            assert waiting.wait(10)
            create_agent("first")
            names.append("first")
        done.result()

    assert names == ["first", "second"]


def test_a_reader_does_not_wait(elsewhere):
    write("first")
    with transaction.atomic():
        create_agent("second")

        assert elsewhere(Agent.objects.count) == 1


def test_a_nested_one_keeps_it_to_the_end(elsewhere):
    with transaction.atomic():
        write("inner")
        with pytest.raises(OperationalError):
            elsewhere(write, "second")

    assert is_free(elsewhere)


def test_it_is_given_back_after_an_error(elsewhere):
    def fail():
        create_agent("first")
        raise Refused

    with pytest.raises(Refused), transaction.atomic():
        fail()

    assert is_free(elsewhere)


def test_it_is_given_back_after_a_commit_that_fails(elsewhere):
    with pytest.raises(IntegrityError), transaction.atomic():
        ApiKey.objects.create(agent_id=1, prefix="of nobody")

    assert is_free(elsewhere)


def test_it_is_given_back_when_the_connection_is_closed(elsewhere):
    with transaction.atomic():
        create_agent("first")
        connection.close()
        assert is_free(elsewhere)


def test_it_is_given_back_when_the_transaction_cannot_begin(elsewhere, monkeypatch):
    connection.ensure_connection()
    with monkeypatch.context() as patched:
        patched.setattr(connections["default"], "transaction_mode", "NONSENSE")
        with pytest.raises(OperationalError):
            write("nothing")

    assert is_free(elsewhere)


def test_threads_write_in_turn(impatient, monkeypatch):
    set_timeout(monkeypatch, 30)

    def work(number):
        for i in range(25):
            write(f"{number}-{i}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))

    assert Agent.objects.count() == 100
