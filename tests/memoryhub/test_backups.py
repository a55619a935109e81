"""Backups of a database that is written to, and what the doctor says of them."""

from __future__ import annotations

import os
import threading
from datetime import timedelta
from io import StringIO

import pysqlite3
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils.timezone import now

from memoryhub.services import backups, doctor, integrity
from sessions_app import search
from sessions_app.errors import Failed
from sessions_app.models import Agent, Job
from sessions_app.services.jobs import run_next
from tests.builders import say, talk

pytestmark = [
    pytest.mark.django_db(transaction=True),
]
sqlite_only = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="SQLite's own backup"
)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR, settings.BACKUPS_DIR = tmp_path, tmp_path / "backups"
    tmp_path.chmod(0o700)
    return settings.BACKUPS_DIR


def read(path, query):
    database = pysqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return database.execute(query).fetchall()
    finally:
        database.close()


def make_old(path, **age):
    moment = (now() - timedelta(**age)).timestamp()
    os.utime(path, (moment, moment))


@sqlite_only
def test_a_backup_is_one_whole_file(session, folder):
    talk(session, "m1 m2 m3")
    told = []

    path = backups.back_up(progress=lambda done, total: told.append((done, total)))

    assert [each.name for each in folder.iterdir()] == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600
    assert read(path, "PRAGMA journal_mode") == [("delete",)]
    assert read(path, "SELECT uid FROM sessions_app_message ORDER BY id") == [
        ("m1",),
        ("m2",),
        ("m3",),
    ]
    assert told[-1][0] == told[-1][1] > 0


@sqlite_only
def test_writers_go_on_and_do_not_begin_it_anew(session, monkeypatch):
    """The backup has what was there when it began, however much is written meanwhile."""
    talk(session, "m1")
    monkeypatch.setattr(backups, "STEP", 5)
    steps = []

    def write(done, total):
        steps.append(done)
        if len(steps) < 30:
            thread = threading.Thread(target=_say, args=(session, f"n{len(steps)}"))
            thread.start()
            thread.join()

    path = backups.back_up(progress=write)

    assert steps == sorted(steps)
    assert session.messages.count() > 10
    assert read(path, "SELECT uid FROM sessions_app_message") == [("m1",)]


def _say(session, text):
    try:
        say(session, text)
    finally:
        connection.close()


@sqlite_only
def test_a_copy_that_is_not_sound_gets_no_name(session, folder, monkeypatch):
    def spoil(done, total):
        if done == total:
            raise Failed("spoilt")

    with pytest.raises(Failed):
        backups.back_up(progress=spoil)
    assert [*folder.iterdir()] == []


@sqlite_only
def test_the_oldest_go(settings, folder):
    settings.BACKUPS_KEPT = 2
    for days in (3, 2, 1):
        make_old(backups.back_up(), days=days)
    (folder / "notes.txt").write_text("mine")

    backups.make_backup()

    ages = [(now() - each.made_at).days for each in backups.list_backups()]
    assert ages == [0, 1]
    assert (folder / "notes.txt").exists()


@sqlite_only
def test_zero_keeps_all_and_makes_none(settings, agent):
    settings.BACKUPS_KEPT = 0
    Agent.objects.update(created_at=now() - timedelta(days=9))
    for _ in range(3):
        backups.back_up()
    assert backups.prune() == 0
    assert len(backups.list_backups()) == 3
    backups.daily_backup()
    assert not Job.objects.exists()


@sqlite_only
def test_one_is_made_each_day(agent, folder):
    backups.daily_backup()
    assert not Job.objects.exists()
    Agent.objects.update(created_at=now() - timedelta(days=2))

    backups.daily_backup()
    backups.daily_backup()
    assert Job.objects.count() == 1
    run_next()

    assert len(backups.list_backups()) == 1
    backups.daily_backup()
    assert not Job.objects.filter(finished_at=None).exists()
    make_old(next(folder.iterdir()), days=1, minutes=1)
    backups.daily_backup()
    assert Job.objects.filter(finished_at=None).count() == 1


@sqlite_only
def test_the_command(session, tmp_path):
    out = StringIO()
    call_command("backup", out=tmp_path / "kept" / "one.sqlite3", stdout=out)
    assert "one.sqlite3" in out.getvalue()
    assert read(
        tmp_path / "kept" / "one.sqlite3", "SELECT key FROM sessions_app_session"
    )
    (tmp_path / "file").write_text("")
    with pytest.raises(CommandError):
        call_command("backup", out=tmp_path / "file" / "x")


@pytest.mark.skipif(connection.vendor == "sqlite", reason="of PostgreSQL")
def test_postgres_has_its_own(agent):
    with pytest.raises(CommandError, match="pg_dump --format=custom"):
        call_command("backup")
    assert not backups.is_due()


def doctor_says(**options):
    out = StringIO()
    try:
        call_command("doctor", stdout=out, **options)
    except CommandError as error:
        return out.getvalue(), str(error)
    return out.getvalue(), ""


def test_a_server_that_is_well(session):
    talk(session, "m1")
    said, error = doctor_says(integrity=True)
    assert error == ""
    assert said.count("ok  ") == len(doctor.CHECKS)
    if connection.vendor == "sqlite":
        assert integrity.last_result().is_sound
        assert "sound, checked" in said


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.chmod(0o755), "others on this machine can read"),
        (
            lambda path: Job.objects.create(
                name="x", run_after=now() - timedelta(hours=1)
            ),
            "1 jobs wait for longer than 10 minutes",
        ),
        (
            lambda path: Job.objects.create(name="x", error="e", finished_at=now()),
            "1 failed for good",
        ),
    ],
)
def test_what_is_wrong_makes_the_exit_code_1(tmp_path, spoil, words):
    spoil(tmp_path)
    said, error = doctor_says()
    assert words in said
    assert "1 of" in error


def test_an_index_that_is_out_of_step(session):
    talk(session, "m1")
    search.remove(list(session.messages.values_list("id", flat=True)))
    said, error = doctor_says()
    assert "1 messages are missing" in said
    assert error


@sqlite_only
def test_damage_is_found(tmp_path, monkeypatch, session):
    """A real file with a page overwritten is not sound."""
    talk(session, " ".join(f"m{number}" for number in range(300)))
    path = backups.back_up()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 4096)
    monkeypatch.setitem(connection.settings_dict, "NAME", str(path))

    result = integrity.check_now()

    assert not result.is_sound
