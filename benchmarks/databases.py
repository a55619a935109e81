"""Database files to measure on: made once, and copied for each part."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command
from django.db import connection

from benchmarks.conversations import Conversation, fill
from benchmarks.measuring import Timing, by_clock
from sessions_app.models import Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.registry.agents import get_or_create_agent

# Of what must not be lost nothing is written here, so filling need not wait.
FAST = ("PRAGMA synchronous = OFF", "PRAGMA wal_autocheckpoint = 20000")

Raw = Any


@dataclass
class Shelf:
    """Where the files are, and which have been made."""

    disk: Path
    memory: Path
    quick: bool
    made: dict[tuple[int, ...], Path] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def folder(self, *, on_disk: bool = False) -> Path:
        """Return a new folder."""
        folder = (self.disk if on_disk else self.memory) / f"copy-{next(self.numbers)}"
        folder.mkdir()
        return folder

    def copy(self, *sizes: int, on_disk: bool = False) -> Path:
        """Return a database of its own, with a session of each of the sizes."""
        if sizes not in self.made:
            self.made[sizes] = self._make(sizes)
        return Path(
            shutil.copy(
                self.made[sizes], self.folder(on_disk=on_disk) / "memoryhub.sqlite3"
            )
        )

    def large(self, *, on_disk: bool = False) -> Path:
        """Return a database of its own, with the sessions that most parts use."""
        return self.copy(*self.large_sizes, on_disk=on_disk)

    @property
    def large_sizes(self) -> tuple[int, int, int]:
        return (1_000, 5_000, 20_000) if self.quick else (1_000, 50_000, 200_000)

    def _make(self, sizes: tuple[int, ...]) -> Path:
        path = self.folder() / "memoryhub.sqlite3"
        with using(path):
            call_command("migrate", verbosity=0)
            for pragma in FAST:
                connection.connection.execute(pragma)
            for size in sizes:
                agent = get_or_create_agent("bench")
                session = create_session(agent=agent, key=f"of-{size}")
                fill(session, size, Conversation(seed=size))
            connection.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path


@contextmanager
def using(path: Path) -> Iterator[None]:
    """Let the project work on a database file."""
    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(path)
    connection.ensure_connection()
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


def session_of(size: int) -> Session:
    return Session.objects.get(key=f"of-{size}")


@contextmanager
def by_hand(path: Path) -> Iterator[Raw]:
    """Give a connection set up as the project's are, with nothing in between."""
    opened = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    opened.execute("PRAGMA foreign_keys = ON")
    for pragma in _init_command().split(";"):
        opened.execute(pragma)
    try:
        yield opened
    finally:
        opened.close()


def _init_command() -> str:
    options: dict[str, str] = connection.settings_dict["OPTIONS"]
    return options["init_command"]


def commit_millis(folder: Path) -> float:
    """Return what the smallest write costs there, which is waiting for the disk."""
    path = folder / "commit.sqlite3"
    with by_hand(path) as raw:
        raw.execute("CREATE TABLE note (id INTEGER PRIMARY KEY)")
        insert = "INSERT INTO note DEFAULT VALUES"
        return (
            Timing([by_clock(lambda: raw.execute(insert)) for _ in range(50)]).median
            * 1e3
        )


def versions() -> str:
    return f"Django {django.__version__}, SQLite {sqlite3.sqlite_version}"
