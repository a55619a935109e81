"""
Django's SQLite backend, with a write lock around each transaction.

``transaction.atomic`` is the only thing that the domain says: here it becomes
BEGIN IMMEDIATE behind the lock of ``memoryhub.sqlite.lock``. A lock that cannot
be had in time is the same OperationalError ("database is locked") that SQLite
itself raises.
"""

from __future__ import annotations

from threading import get_ident
from typing import Any

from django.conf import settings
from django.db.backends.sqlite3 import base
from django.db.backends.sqlite3.features import DatabaseFeatures
from django.db.utils import OperationalError
from django.utils.asyncio import async_unsafe

from memoryhub.sqlite.cursors import Cursor, StatementCursor
from memoryhub.sqlite.lock import WriteLock, lock_for

Database = base.Database  # type: ignore[attr-defined]


class Features(DatabaseFeatures):
    # Known. Django tries it in a transaction: beside a writer that takes long, commands
    # would be refused for the lack of it.
    supports_json_field = True


class DatabaseWrapper(base.DatabaseWrapper):
    features_class = Features
    held: WriteLock | None = None
    # Whether the transaction that begins is only to read: see ``sql.snapshots``.
    only_reads = False

    @async_unsafe
    def cursor(self) -> Any:
        if self.connection is None or self.force_debug_cursor or settings.DEBUG:
            return super().cursor()
        if self._thread_ident != get_ident():  # type: ignore[attr-defined]
            self.validate_thread_sharing()
        return StatementCursor(self.connection.cursor(Cursor), self)

    def create_cursor(self, name: str | None = None) -> Any:
        return self.connection.cursor(Cursor)

    def _start_transaction_under_autocommit(self) -> None:
        # Savepoints begin with the same name in each transaction: under ever new ones
        # the driver would have no room to keep other statements prepared.
        self.savepoint_state = 0
        if self.only_reads:
            self.cursor().execute("BEGIN")
            return
        self._take_lock()
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._give_lock()
            raise

    def _commit(self) -> Any:
        try:
            if self.connection is None or self.queries_logged:
                return super()._commit()  # type: ignore[misc]
            with self.wrap_database_errors:
                return self.connection.commit()
        finally:
            # A failed commit leaves the transaction open: Django rolls it back.
            if self.connection is None or not self.connection.in_transaction:
                self._give_lock()

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._give_lock()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._give_lock()

    def _take_lock(self) -> None:
        name = str(self.settings_dict["NAME"])
        if self.held or self.is_in_memory_db():
            return
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", 5))
        lock = lock_for(name)
        if not lock.acquire(timeout):
            raise OperationalError("database is locked")
        self.held = lock

    def _give_lock(self) -> None:
        if self.held:
            held, self.held = self.held, None
            held.release()
