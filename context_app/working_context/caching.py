"""
A cache of what was made, by all that it was made from.

A key is the very content, not a name or a time for it: so what is found is always
what would be made now, and nothing ever has to be thrown out for being old.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class ContentCache(Generic[Made]):
    """Keeps what was used last, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.bytes = 0
        self._kept: OrderedDict[Hashable, tuple[Made, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Made | None:
        with self._lock:
            return self._found(key)

    def get_all(self, keys: Iterable[Hashable]) -> list[Made | None]:
        with self._lock:
            return [self._found(key) for key in keys]

    def put(self, key: Hashable, made: Made, size: int) -> None:
        """Keep what was made of a key; with the key it takes ``size`` bytes."""
        with self._lock:
            if key in self._kept or size > self.most_bytes:
                return
            self._kept[key] = made, size
            self.bytes += size
            while self.bytes > self.most_bytes:
                _, (_, freed) = self._kept.popitem(last=False)
                self.bytes -= freed

    def _found(self, key: Hashable) -> Made | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._kept.move_to_end(key)
        return kept[0]
