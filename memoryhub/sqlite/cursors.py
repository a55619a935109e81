"""
Cursors with less between a statement and SQLite.

Django's convert each query anew, whose constants never change, and prepare for
wrappers and errors that are rarely there: that costs more than most statements do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.backends.utils import CursorWrapper

Database = base.Database  # type: ignore[attr-defined]
run = Database.Cursor.execute
run_many = Database.Cursor.executemany

# How many queries are kept as SQLite reads them, and the longest: those with long
# lists of values do not come again.
KEPT = 1_000
LONGEST = 10_000


class Cursor(base.SQLiteCursorWrapper):
    """Runs queries with ``%s`` or ``%(name)s``, converting each of them once."""

    def execute(self, query: str, params: Any = None) -> Any:
        if params is None:
            return run(self, query)
        return run(self, convert(query, params), params)

    def executemany(self, query: str, param_list: Any) -> Any:
        if not isinstance(param_list, (list, Sequence)):
            param_list = list(param_list)
        if param_list:
            query = convert(query, param_list[0])
        return run_many(self, query, param_list)


class StatementCursor(CursorWrapper):
    """Django's wrapper, on a short way where nothing is wrapped and nothing fails."""

    def execute(self, sql: Any, params: Any = None) -> Any:
        if self.db.execute_wrappers or self.db.needs_rollback:
            return super().execute(sql, params)
        try:
            return self.cursor.execute(sql, params)
        except Database.Error:
            with self.db.wrap_database_errors:
                raise

    def executemany(self, sql: Any, param_list: Any) -> Any:
        if self.db.execute_wrappers or self.db.needs_rollback:
            return super().executemany(sql, param_list)
        try:
            return self.cursor.executemany(sql, param_list)
        except Database.Error:
            with self.db.wrap_database_errors:
                raise

    def fetchone(self) -> Any:
        try:
            return self.cursor.fetchone()
        except Database.Error:
            with self.db.wrap_database_errors:
                raise

    def fetchall(self) -> Any:
        try:
            return self.cursor.fetchall()
        except Database.Error:
            with self.db.wrap_database_errors:
                raise

    def close(self) -> None:
        self.cursor.close()


def convert(query: str, params: Any) -> str:
    """Return a query as SQLite reads it."""
    change = _named if isinstance(params, (dict, Mapping)) else _positional
    return change(query) if len(query) <= LONGEST else change.__wrapped__(query)


@lru_cache(maxsize=KEPT)
def _named(query: str) -> str:
    return query % _Names()


@lru_cache(maxsize=KEPT)
def _positional(query: str) -> str:
    return base.FORMAT_QMARK_REGEX.sub("?", query).replace("%%", "%")


class _Names(dict[str, str]):
    """Every parameter by its name, as SQLite writes it."""

    def __missing__(self, name: str) -> str:
        return f":{name}"
