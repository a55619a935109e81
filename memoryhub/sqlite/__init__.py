"""
The SQLite that MemoryHub runs on.

Importing this package puts the ``pysqlite3`` wheel in the place of the standard
library's ``sqlite3``, before Django loads its backend: the system's SQLite is
often older than 3.51.3, and older ones can corrupt a database in WAL mode when
several connections write.
"""

from __future__ import annotations

import sys

import pysqlite3

SAFE_VERSION = (3, 51, 3)
VERSION: str = pysqlite3.sqlite_version

sys.modules["sqlite3"] = pysqlite3
sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2


def is_safe() -> bool:
    """Say whether this SQLite is free of the WAL-reset bug."""
    return tuple(pysqlite3.sqlite_version_info) >= SAFE_VERSION
