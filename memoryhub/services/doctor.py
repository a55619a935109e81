"""Is the server well: a list of checks, for the system page and the terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.timezone import now

from memoryhub import sqlite
from memoryhub.services import backups, database, integrity
from sessions_app import search
from sessions_app.models import Job
from sessions_app.services.jobs.rerunning import CANCELLED

GB = 10**9
# What is due for longer than this finds no worker.
PATIENCE = timedelta(minutes=10)
OLD_BACKUP = timedelta(days=2)
RECENT = timedelta(days=1)


@dataclass(frozen=True)
class Check:
    """``advice`` says what to do, where something is not right."""

    name: str
    state: Literal["ok", "warn", "bad"]
    text: str
    advice: str = ""


def run_checks() -> list[Check]:
    return [check() for check in CHECKS]


def urgent_checks() -> list[Check]:
    """Run those that are quick, and that nothing else on the overview tells."""
    return [check() for check in (version, soundness, disk, backup, worker)]


def version() -> Check:
    name = "SQLite version" if connection.vendor == "sqlite" else "Database"
    if connection.vendor != "sqlite":
        numbers = ".".join(map(str, connection.get_database_version()))
        return Check(name, "ok", f"PostgreSQL {numbers}")
    if sqlite.is_safe():
        return Check(name, "ok", sqlite.VERSION)
    return Check(
        name,
        "bad",
        f"{sqlite.VERSION} can corrupt a database in WAL mode",
        "Install a pysqlite3 that carries SQLite 3.51.3 or newer",
    )


def migrations() -> Check:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return Check("Migrations", "ok", "all applied")
    return Check(
        "Migrations", "bad", f"{len(plan)} not applied", "Restart the server with serve"
    )


def soundness() -> Check:
    name = "Integrity"
    if connection.vendor != "sqlite":
        return Check(name, "ok", "PostgreSQL's own; pg_amcheck looks through it")
    result = integrity.last_result()
    if result is None:
        return Check(name, "ok", "not checked yet")
    at = f"{result.at:%Y-%m-%d %H:%M} UTC"
    if result.is_sound:
        return Check(name, "ok", f"sound, checked {at}")
    return Check(
        name,
        "bad",
        f"{len(result.problems)} problems, checked {at}: {result.problems[0]}",
        "Stop the server, keep a copy of the file, and restore the newest sound backup",
    )


def index() -> Check:
    missing, orphans = search.missing(), search.orphans()
    if not missing and not orphans:
        return Check("Search index", "ok", "in step")
    return Check(
        "Search index",
        "warn",
        f"{missing:,} messages are missing, {orphans:,} are too many",
        "Rebuild it: manage.py rebuild_search",
    )


def disk() -> Check:
    free, total = database.disk()
    text = f"{free / GB:.1f} GB free of {total / GB:.1f} GB"
    size = database.database_size()
    if free < max(GB // 5, size // 2):
        return Check("Disk", "bad", text, "Make room: writes fail when it is full")
    if free < max(GB, size * 2):
        return Check("Disk", "warn", text, "A backup needs as much as the database")
    return Check("Disk", "ok", text)


def privacy() -> Check:
    name = "Data folder"
    if database.is_private():
        return Check(name, "ok", "for the server's user alone")
    return Check(
        name,
        "warn",
        f"others on this machine can read {settings.DATA_DIR}",
        f"chmod 700 {settings.DATA_DIR}",
    )


def backup() -> Check:
    name = "Backup"
    if connection.vendor != "sqlite":
        return Check(name, "ok", f"yours to make: {backups.pg_dump()}")
    found = backups.list_backups()
    if not settings.BACKUPS_KEPT:
        return Check(name, "ok", "none by themselves: MEMORYHUB_BACKUPS_KEPT is 0")
    if not found:
        due = backups.is_due()
        text = "none yet" if due else "none yet; the first is made after a day"
        advice = "The job worker makes one within the hour" if due else ""
        return Check(name, "warn" if due else "ok", text, advice)
    age = now() - found[0].made_at
    text = f"{found[0].name}, {age.days * 24 + age.seconds // 3600} h old"
    if age < OLD_BACKUP:
        return Check(name, "ok", text)
    return Check(name, "warn", text, "Is the job worker running? Back up now")


def worker() -> Check:
    late = Job.objects.due(now()).filter(run_after__lte=now() - PATIENCE).count()
    if late:
        return Check(
            "Job worker",
            "bad",
            f"{late:,} jobs wait for longer than {PATIENCE.seconds // 60} minutes",
            "Is it running? serve starts one, or manage.py run_jobs",
        )
    return Check("Job worker", "ok", "nothing waits for long")


def failed_jobs() -> Check:
    failed = Job.objects.filter(finished_at__gte=now() - RECENT).exclude(error="")
    count = failed.exclude(error__startswith=CANCELLED).count()
    if count:
        text = f"{count:,} failed for good in the last 24 h"
        return Check(
            "Jobs", "warn", text, "The page Jobs says why, and runs them again"
        )
    return Check("Jobs", "ok", "none failed in the last 24 h")


CHECKS: tuple[Callable[[], Check], ...] = (
    version,
    migrations,
    soundness,
    index,
    disk,
    privacy,
    backup,
    worker,
    failed_jobs,
)
