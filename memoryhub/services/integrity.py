"""
Looking through the whole database for damage.

It takes as long as reading it all, so it is a job. Its result is a file: a damaged
database might not keep it.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec
import pysqlite3
from django.conf import settings
from django.db import connection
from django.utils.timezone import now

from sessions_app.services.jobs import enqueue, job

JOB = "integrity"
MOST = 20


@dataclass
class Result:
    """``problems`` are SQLite's own words; none is a sound database."""

    at: datetime
    seconds: float
    problems: list[str]

    @property
    def is_sound(self) -> bool:
        return not self.problems


def last_result() -> Result | None:
    """Return what the last check found, or None where there was none."""
    try:
        return msgspec.json.decode(_file().read_bytes(), type=Result)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def ask_for_check() -> bool:
    """Have it done in the background; False where it is asked for already."""
    return enqueue("check_integrity", dedupe_key=JOB) is not None


@job
def check_integrity() -> None:
    """Check the database, and note the result."""
    if connection.vendor != "sqlite":
        return
    result = check_now()
    partial = _file().with_suffix(".partial")
    partial.write_bytes(msgspec.json.encode(result))
    os.replace(partial, _file())


def check_now() -> Result:
    """Check the database now; readers and writers go on."""
    started = time.monotonic()
    name = str(connection.settings_dict["NAME"])
    database = pysqlite3.connect(f"file:{name}?mode=ro", uri=True, isolation_level=None)
    try:
        said = [row[0] for row in database.execute(f"PRAGMA integrity_check({MOST})")]
        problems = [] if said == ["ok"] else said
        broken = database.execute("PRAGMA foreign_key_check").fetchmany(MOST)
        problems += [f"{row[0]} {row[1]} refers to no {row[2]}" for row in broken]
    except pysqlite3.DatabaseError as error:
        problems = [str(error)]
    finally:
        database.close()
    return Result(now(), round(time.monotonic() - started, 2), problems)


def _file() -> Path:
    return Path(settings.DATA_DIR) / "integrity.json"
