"""
What goes to a network, and so must not be done while a transaction is open.

On SQLite a transaction keeps everybody else from writing. Who has opened one around
somebody else's work (an Idempotency-Key, the admin) lets go of it when he is told so,
and has the work done again without it.
"""

from __future__ import annotations

from django.db import connection


class InTransaction(Exception):
    """Something that goes to a network was to be done inside a transaction."""


def check_outside() -> None:
    """
    :raises InTransaction: if a transaction is open; that of a test case does not count
    """
    # What transaction.atomic(durable=True) looks at as well.
    for block in connection.atomic_blocks:
        if not getattr(block, "_from_testcase", False):
            raise InTransaction("It goes to a network: not inside a transaction")
