"""A database that others are writing to: 503, and when to try again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pysqlite3
import pytest
from django.db import connection, transaction

from sessions_app.services.forest.locking import lock_session
from tests.api import counts, refusal

pytestmark = pytest.mark.django_db(transaction=True)
URL = "/sessions/trip/messages"
BODY = {"messages": [{"role": "user", "content": "x"}]}


@pytest.fixture(autouse=True)
def _short_patience(api, session, monkeypatch):
    api.get("/sessions")
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 0.05)
        statement = "PRAGMA busy_timeout = {}"
    else:
        statement = "SET lock_timeout = {}"
    with connection.cursor() as cursor:
        cursor.execute(statement.format(50))
        yield
        cursor.execute(statement.format(5000))


@contextmanager
def writing(session) -> Iterator[None]:
    """Have another thread write to the session, and not come to an end."""
    begun, done = Event(), Event()

    def write():
        with transaction.atomic():
            lock_session(session)
            begun.set()
            done.wait()

    thread = Thread(target=write)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        done.set()
        thread.join()


def check(response):
    assert refusal(response) == (503, "busy")
    assert int(response["Retry-After"]) > 0


def test_a_write_is_refused(api, session):
    before = counts()

    with writing(session):
        check(api.post(URL, BODY))
        check(api.patch("/sessions/trip", {"name": "N"}))
        check(api.delete("/sessions/trip"))

    assert counts() == before
    assert api.post(URL, BODY).status_code == 201


def test_a_write_with_an_idempotency_key_may_be_tried_again(api, session):
    headers = {"Idempotency-Key": "k"}

    with writing(session):
        check(api.call("POST", URL, BODY, **headers))

    assert api.call("POST", URL, BODY, **headers).status_code == 201


def test_reading_goes_on(api, session):
    with writing(session):
        assert api.get("/sessions/trip/history").status_code == 200
        assert api.get("/search", q="x").status_code == 200


@pytest.mark.skipif(connection.vendor != "sqlite", reason="locks the whole file")
def test_a_program_that_knows_nothing_of_us_may_hold_the_lock(api):
    other = pysqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    check(api.post(URL, BODY))

    other.execute("ROLLBACK")
    other.close()
    assert api.post(URL, BODY).status_code == 201
