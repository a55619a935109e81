"""What is known of the database, and of the folder that it is in."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from memoryhub import sqlite


@dataclass(frozen=True)
class Folder:
    name: str
    size: int


def facts() -> list[tuple[str, Any]]:
    """Return names and values; sizes are whole numbers of bytes under names in "size"."""
    if connection.vendor == "sqlite":
        return _sqlite_facts()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_database_size(current_database()), current_database()"
        )
        size, name = cursor.fetchone()
    return [("Database", f"PostgreSQL, {name}"), ("Size", size)]


def _sqlite_facts() -> list[tuple[str, Any]]:
    name = str(connection.settings_dict["NAME"])
    pages = _pragma("page_count")
    free = _pragma("freelist_count")
    synchronous = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}
    return [
        ("Database", f"SQLite {sqlite.VERSION}"),
        ("File", name),
        ("Size", _size(Path(name))),
        ("WAL size", _size(Path(f"{name}-wal"))),
        ("Pages", f"{pages:,} of {_pragma('page_size'):,} bytes, {free:,} free"),
        ("Journal mode", _pragma("journal_mode")),
        (
            "Synchronous",
            synchronous.get(_pragma("synchronous"), _pragma("synchronous")),
        ),
    ]


def _pragma(name: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        return cursor.fetchone()[0]


def database_size() -> int:
    """Return the bytes of the database, what is not checkpointed included."""
    return sum(value for name, value in facts() if name in ("Size", "WAL size"))


def folders() -> list[Folder]:
    """Return what takes the room in the data folder, the largest first."""
    data = Path(settings.DATA_DIR)
    sizes: dict[str, int] = {}
    for path in data.iterdir() if data.is_dir() else ():
        name = f"{path.name}/" if path.is_dir() else "database and other files"
        sizes[name] = sizes.get(name, 0) + _size(path)
    found = [Folder(name, size) for name, size in sizes.items()]
    return sorted(found, key=lambda folder: -folder.size)


def disk() -> tuple[int, int]:
    """Return the free and the total bytes of the disk that the data is on."""
    usage = shutil.disk_usage(settings.DATA_DIR)
    return usage.free, usage.total


def is_private() -> bool:
    """Say whether nobody but the server's user can read the data folder."""
    return not os.stat(settings.DATA_DIR).st_mode & 0o077


def _size(path: Path) -> int:
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sum(_size(child) for child in path.iterdir())
    except FileNotFoundError:
        # Another process has just removed it.
        return 0
