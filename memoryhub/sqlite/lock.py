"""
One writer at a time, in turn.

SQLite has one writer, and a second one *sleeps* for growing times until the
first is done: with a few threads the slowest of a hundred writes takes twenty
times the median. So a thread takes this lock before it begins a transaction: a
lock of the process, then one on a file beside the database for the other
processes. Whoever is next is awake at once.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path

# Between two looks at a lock that another process holds, in seconds. Its
# transactions take less than a millisecond.
PAUSE = 0.0005


class WriteLock:
    """A lock on a database file, among the threads of all processes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.threads = threading.Lock()
        self.file: int | None = None

    def acquire(self, timeout: float) -> bool:
        """Take the lock, and say whether it could be had within ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        if not self.threads.acquire(timeout=timeout):
            return False
        locked = False
        try:
            locked = self._lock_file(deadline)
        finally:
            if not locked:
                self.threads.release()
        return locked

    def _lock_file(self, deadline: float) -> bool:
        if self.file is None:
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        while True:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return False
                time.sleep(PAUSE)
            else:
                return True

    def release(self) -> None:
        if self.file is not None:
            fcntl.flock(self.file, fcntl.LOCK_UN)
        self.threads.release()


_locks: dict[str, WriteLock] = {}
_guard = threading.Lock()


def lock_for(database: str) -> WriteLock:
    """Return the process's one lock for a database file."""
    with _guard:
        if database not in _locks:
            _locks[database] = WriteLock(Path(f"{database}-write.lock"))
        return _locks[database]


def _forget() -> None:
    """Start anew in a forked child: it must not share its parent's locks, nor hold them."""
    global _guard
    for lock in _locks.values():
        if lock.file is not None:
            os.close(lock.file)
            lock.file = None
    _locks.clear()
    _guard = threading.Lock()


os.register_at_fork(after_in_child=_forget)
