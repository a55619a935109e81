"""
Running hand-written queries.

Each query is a constant of the module that it belongs to, with its parameters
named in the text. They run on SQLite and on PostgreSQL as they stand: only what
the ORM cannot say, or says too slowly for a hot path, is written by hand.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import DatabaseError, connection

Row = tuple[Any, ...]

# Rows in memory at once, where a result is read by its columns.
AT_ONCE = 500


class Gone(LookupError):
    """A row that must be there is not: it was taken away a moment ago."""


def rows(query: str, **params: Any) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        found: list[Row] = cursor.fetchall()
        return found


def rows_of(query: str, ids: Collection[int | str], **params: Any) -> list[Row]:
    """Return the rows of a query with a list of keys or ids in the place of ``{}``."""
    if not ids:
        return []
    listed = {f"id{number}": each for number, each in enumerate(ids)}
    places = ", ".join(f"%({name})s" for name in listed)
    return rows(query.format(places), **listed, **params)


def columns(query: str, width: int, **params: Any) -> list[list[Any]]:
    """
    Return a long result by its columns, of which there are ``width``.

    Its rows are gone by then: thousands of them at once would set off a look through
    all that the garbage collector knows of.
    """
    found: list[list[Any]] = [[] for _ in range(width)]
    with connection.cursor() as cursor:
        cursor.execute(query, params)
        while batch := cursor.fetchmany(AT_ONCE):
            for column, values in zip(found, zip(*batch, strict=True), strict=True):
                column.extend(values)
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
    if len(params) == 1:
        execute(query, **params[0])
    if len(params) < 2:
        return
    with connection.cursor() as cursor:
        cursor.executemany(query, params)


@functools.cache
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


def is_busy(error: DatabaseError) -> bool:
    """Say whether a database error only means that others are writing: try again."""
    cause = error.__cause__
    # SQLite says it of the database, or of a table.
    return "is locked" in str(error) or getattr(cause, "sqlstate", None) in BUSY_STATES
