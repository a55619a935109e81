"""
Backups of the SQLite database, made while the server runs.

A backup is one file, checked before it takes its name: what has a name is whole. The
newest ``MEMORYHUB_BACKUPS_KEPT`` of the folder stay; one for longer belongs elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import pysqlite3
from django.conf import settings
from django.db import connection
from django.utils.timezone import now

from sessions_app.errors import Failed, Invalid, NotFound
from sessions_app.models import Agent
from sessions_app.services.jobs import enqueue, job, periodic

HOUR = 3600.0
EVERY = timedelta(days=1)
# Pages (of 4 kB) at a time: enough to be fast, few enough to show how far it is.
STEP = 2_000
PATTERN = "memoryhub-*.sqlite3"
JOB = "backup"


class NoBackup(Invalid):
    """This database is not one that we can back up."""


class Backup(NamedTuple):
    name: str
    size: int
    made_at: datetime


def list_backups() -> list[Backup]:
    """Return the backups in the folder, the newest first."""
    found = []
    for path in Path(settings.BACKUPS_DIR).glob(PATTERN):
        stat = path.stat()
        made_at = datetime.fromtimestamp(stat.st_mtime, UTC)
        found.append(Backup(path.name, stat.st_size, made_at))
    return sorted(found, key=lambda backup: (backup.made_at, backup.name), reverse=True)


def path_of(name: str) -> Path:
    """
    :raises NotFound: if the folder has no backup of that name
    """
    if name not in [backup.name for backup in list_backups()]:
        raise NotFound(f"No backup {name!r}")
    return Path(settings.BACKUPS_DIR) / name


def delete_backup(name: str) -> None:
    path_of(name).unlink(missing_ok=True)


def back_up(
    out: Path | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Path:
    """
    Write the database to a file, by default a new one in the folder of backups.

    ``progress`` is told the pages that are done, and all. Readers and writers go on.

    :raises NoBackup: on PostgreSQL, with the command to use
    :raises Failed: if the copy is not sound
    """
    if connection.vendor != "sqlite":
        raise NoBackup(f"The database is PostgreSQL: use {pg_dump()}")
    out = out or _new_path()
    out.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    partial = out.with_name(f"{out.name}.partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _copy(partial, progress)
        _sync(partial)
        partial.replace(out)
        _sync(out.parent)
    finally:
        partial.unlink(missing_ok=True)
    return out


def _copy(partial: Path, progress: Callable[[int, int], object]) -> None:
    name = str(connection.settings_dict["NAME"])
    source = pysqlite3.connect(f"file:{name}?mode=ro", uri=True, isolation_level=None)
    copy = pysqlite3.connect(partial, isolation_level=None)
    try:
        # One state of the database for all steps: else each write would begin it anew.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
        source.backup(
            copy,
            pages=STEP,
            progress=lambda status, left, total: progress(total - left, total),
            sleep=0,
        )
        # So that the copy is one file, with no -wal beside it.
        copy.execute("PRAGMA journal_mode = DELETE")
        (said,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
        if said != "ok":
            raise Failed(f"The copy is not sound, and was removed: {said}")
    finally:
        copy.close()
        source.close()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _new_path() -> Path:
    moment = now().strftime("%Y%m%d-%H%M%S-%f")[:-3]
    return Path(settings.BACKUPS_DIR) / f"memoryhub-{moment}.sqlite3"


def pg_dump() -> str:
    """Return the command that backs up this PostgreSQL database."""
    where = connection.settings_dict
    options = {"host": where["HOST"], "port": where["PORT"], "username": where["USER"]}
    given = " ".join(f"--{name}={value}" for name, value in options.items() if value)
    return f"pg_dump --format=custom --file=memoryhub.dump {given} {where['NAME']}"


def prune() -> int:
    """Remove the oldest backups, and return how many; 0 to be kept means all stay."""
    kept: int = settings.BACKUPS_KEPT
    old = list_backups()[kept:] if kept else []
    for backup in old:
        delete_backup(backup.name)
    return len(old)


def ask_for_backup() -> bool:
    """Have a backup made in the background; False where one is asked for already."""
    return enqueue("make_backup", dedupe_key=JOB) is not None


@job
def make_backup() -> None:
    """Make a backup, and remove those that are too many."""
    back_up()
    prune()


@periodic(HOUR)
def daily_backup() -> None:
    """Ask for a backup where the newest is a day old; a new server waits a day."""
    if is_due():
        ask_for_backup()


def is_due() -> bool:
    if connection.vendor != "sqlite" or not settings.BACKUPS_KEPT:
        return False
    since = now() - EVERY
    backups = list_backups()
    if backups:
        return backups[0].made_at <= since
    return Agent.objects.filter(created_at__lte=since).exists()
