"""
Reading with several statements what is stored at one moment, whoever writes meanwhile.

Without it a message could be moved or deleted between two of them, or a fork could get
messages of its own and the reader be left with those of another session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from django.db import connection, transaction


@contextmanager
def snapshot() -> Iterator[None]:
    """Show one moment to all that is read within; nothing may be written there."""
    if connection.in_atomic_block:
        yield
        return
    with BEGINNINGS[connection.vendor]():
        yield


@contextmanager
def _sqlite() -> Iterator[None]:
    # Our backend then begins without the lock that writers take in turn.
    connection.only_reads = True  # type: ignore[attr-defined]
    try:
        with transaction.atomic():
            yield
    finally:
        connection.only_reads = False  # type: ignore[attr-defined]


@contextmanager
def _postgresql() -> Iterator[None]:
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


BEGINNINGS: Mapping[str, Callable[[], AbstractContextManager[None]]] = {
    "sqlite": _sqlite,
    "postgresql": _postgresql,
}
