"""
Running hand-written queries.

Each query is a constant of the module that it belongs to, with its parameters
named in the text. They run on SQLite and on PostgreSQL as they stand: only what
the ORM cannot say, or says too slowly for a hot path, is written by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import OperationalError, connection

Row = tuple[Any, ...]


class Gone(LookupError):
    """A row that must be there is not: it was taken away a moment ago."""


def rows(query: str, **params: Any) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        found: list[Row] = cursor.fetchall()
        return found


def first(query: str, **params: Any) -> Row | None:
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        found: Row | None = cursor.fetchone()
        return found


def one(query: str, **params: Any) -> Row:
    """
    Return the row of a query that has one.

    :raises Gone: if it has none
    """
    found = first(query, **params)
    if found is None:
        raise Gone(query, params)
    return found


def execute(query: str, **params: Any) -> int:
    """Run a statement, and return how many rows it changed."""
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        changed: int = cursor.rowcount
        return changed


def execute_many(query: str, params: Sequence[Mapping[str, Any]]) -> None:
    if not params:
        return
    with connection.cursor() as cursor:
        cursor.executemany(query, params)


def lock(query: str, of: str) -> str:
    """
    Return a SELECT that locks its rows in the table ``of``.

    SQLite has one writer, who needs no more than the transaction.
    """
    if not connection.features.has_select_for_update:
        return query
    return f"{query} {connection.ops.for_update_sql(of=(of,))}"


# PostgreSQL's states of a write that had to wait too long, or was chosen to give way.
BUSY_STATES = {"55P03", "40P01", "40001"}


def is_busy(error: OperationalError) -> bool:
    """Say whether a database error only means that others are writing: try again."""
    cause = error.__cause__
    return "database is locked" in str(error) or (
        getattr(cause, "sqlstate", None) in BUSY_STATES
    )
