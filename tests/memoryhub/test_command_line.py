"""What is wrong with the machine is told in a line, with what to do about it."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from pathlib import Path

import pysqlite3
import pytest
from django.core.management import CommandError, call_command
from django.db import (
    DatabaseError,
    IntegrityError,
    OperationalError,
    ProgrammingError,
    connection,
)
from psycopg.errors import LockNotAvailable

from memoryhub.command_line import refusal
from tests.server import MANAGE

ON_SQLITE = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="It is about a file"
)
DATABASE = "memoryhub.sqlite3"
WAITED = OperationalError("canceling statement due to lock timeout")
WAITED.__cause__ = LockNotAvailable()


def given(data_dir: Path, **variables: str) -> dict[str, str]:
    ours = {"MEMORYHUB_DATA_DIR": str(data_dir), "DATABASE_URL": ""}
    return os.environ | ours | variables


def manage(data_dir: Path, *arguments: str, **variables: str) -> str:
    """Run a command that is to be refused, and return what it says."""
    done = subprocess.run(
        [*MANAGE, *arguments],
        env=given(data_dir, **variables),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stderr


def told(data_dir: Path, *arguments: str, **variables: str) -> str:
    said = manage(data_dir, *arguments, **variables)
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    return said


def test_a_setting_that_is_wrong(tmp_path):
    said = told(tmp_path, "check", MEMORYHUB_MAX_BATCH="lots")

    assert said == (
        "Error: MEMORYHUB_MAX_BATCH is 'lots': it has to be a whole number\n"
    )


def test_the_traceback_is_there_for_those_who_ask(tmp_path):
    said = manage(tmp_path, "check", "--traceback", MEMORYHUB_MAX_BATCH="lots")

    assert said.startswith("Traceback")
    assert "MEMORYHUB_MAX_BATCH is 'lots'" in said


@ON_SQLITE
def test_a_file_that_is_no_database(tmp_path):
    (tmp_path / DATABASE).write_bytes(bytes(range(256)) * 100)

    said = told(tmp_path, "serve", "--port=0")

    assert f"{tmp_path / DATABASE} cannot be used: file is not a database" in said


@ON_SQLITE
@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_database_that_may_only_be_read(tmp_path):
    subprocess.run([*MANAGE, "migrate", "--verbosity=0"], env=given(tmp_path))
    (tmp_path / DATABASE).chmod(0o400)

    said = told(tmp_path, "serve", "--port=0")

    assert "cannot be used: attempt to write a readonly database" in said


@pytest.mark.parametrize("option", ["--workers=0", "--threads=-1"])
def test_a_server_without_workers(option):
    with pytest.raises(CommandError, match="it has to be 1 or more"):
        call_command("serve", option)


@ON_SQLITE
def test_a_database_that_was_never_set_up(tmp_path):
    said = told(tmp_path, "create_key")

    assert "Start the server, which does it, or run: manage.py migrate" in said


@ON_SQLITE
def test_a_lock_that_cannot_be_opened(tmp_path):
    (tmp_path / f"{DATABASE}-write.lock").mkdir()

    said = told(tmp_path, "migrate", "--verbosity=0")

    assert f"{tmp_path / DATABASE}-write.lock: Is a directory" in said
    assert "has to be yours to read and write" in said


@ON_SQLITE
def test_a_database_that_somebody_else_writes_to(tmp_path):
    with closing(pysqlite3.connect(tmp_path / DATABASE)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")

        said = told(tmp_path, "migrate", MEMORYHUB_BUSY_TIMEOUT="0.1")

    assert "The database is busy (" in said
    assert "Try again." in said


def test_a_postgresql_that_is_not_there(tmp_path):
    address = f"postgres://me:secret@/name?host={tmp_path}"

    said = told(tmp_path, "serve", "--port=0", DATABASE_URL=address)

    assert "The database of DATABASE_URL cannot be used: " in said
    assert "and that PostgreSQL runs" in said
    assert "secret" not in said


@pytest.mark.parametrize(
    "error",
    [
        IntegrityError("UNIQUE constraint failed: name"),
        ProgrammingError("syntax error at or near SELECT"),
    ],
)
def test_what_is_our_own_fault_keeps_its_traceback(error: DatabaseError):
    assert refusal(error) == ""


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ProgrammingError('relation "a" does not exist\nLINE 1'), "manage.py migrate"),
        (OperationalError("no such column: b"), "manage.py migrate"),
        (WAITED, "Try again"),
        (OperationalError("database or disk is full"), "disk is full"),
        (DatabaseError("database disk image is malformed"), "malformed"),
    ],
)
def test_what_is_not(error: DatabaseError, said: str):
    assert said in refusal(error)
    assert "\n" not in refusal(error)
