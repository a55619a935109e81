"""
How often a key may ask: ``RATE_LIMIT`` requests a minute, all at once or evenly.

The generic cell rate algorithm (ITU-T I.371): of each key one moment is kept, that until
which its requests so far are spread evenly. It may lie a minute ahead. The moments are
in a small file that the workers of a server share as memory.
"""

from __future__ import annotations

import fcntl
import functools
import math
import mmap
import os
import struct
import threading
import time
from pathlib import Path

from django.conf import settings

from sessions_app.errors import RateLimited

MINUTE = 60_000_000_000
# Keys beyond so many share their moments with older ones.
SLOTS = 65_536
MOMENT = struct.Struct("=q")


class Pace:
    """The moments of all keys."""

    def __init__(self, path: Path) -> None:
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.ftruncate(self.file, SLOTS * MOMENT.size)
        self.moments = mmap.mmap(self.file, SLOTS * MOMENT.size)
        self.threads = threading.Lock()

    def wait(self, key_id: int, limit: int, now: int) -> int:
        """
        Count a request, and return 0; or return by how many nanoseconds it is too early.

        What is too early is not counted.
        """
        place = key_id % SLOTS * MOMENT.size
        apart = MINUTE // limit
        with self.threads:
            fcntl.flock(self.file, fcntl.LOCK_EX)
            try:
                until: int = MOMENT.unpack_from(self.moments, place)[0]
                # No request reaches further, unless the clock was set back.
                until = min(max(until, now), now + MINUTE)
                early = max(until + apart - (now + MINUTE), 0)
                if not early:
                    until += apart
                MOMENT.pack_into(self.moments, place, until)
            finally:
                fcntl.flock(self.file, fcntl.LOCK_UN)
        return early


@functools.cache
def pace_in(folder: Path) -> Pace:
    return Pace(folder / "pace")


def check_pace(key_id: int) -> None:
    """
    :raises RateLimited: if the key has asked too often
    """
    limit = settings.RATE_LIMIT
    if not limit:
        return
    early = pace_in(settings.DATA_DIR).wait(key_id, limit, time.time_ns())
    if early:
        seconds = math.ceil(early / 1e9)
        raise RateLimited(
            f"More than {limit:,} requests a minute: try again in {seconds} s",
            limit=limit,
            retry_after=seconds,
        )
