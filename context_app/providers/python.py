"""
Blocks that are backed by an object of the host's own, where Python is the face.

Any object will do that has some of these methods; which ones says what the block can
do (../spec/sessions.md, section 2.5):

    get() -> str | None
    set(content) for a text; set(key, content, description) for skills;
    set(key, content) for what is searched
    load(key) -> str | None
    search(query) -> str | None
    init(label), called before each get
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sessions_app.errors import Conflict


class ProviderFailed(Conflict):
    """A host's own object raised something."""

    code = "provider_failed"


@dataclass(slots=True)
class PythonBlock:
    """A block of a session that is not stored: its place in the prompt, and its object."""

    label: str
    source: Any
    description: str = ""
    max_tokens: int | None = None
    position: int = 0

    @property
    def writable(self) -> bool:
        return hasattr(self.source, "set")

    @property
    def is_skill(self) -> bool:
        return hasattr(self.source, "load")

    @property
    def is_searchable(self) -> bool:
        return hasattr(self.source, "search")

    @property
    def is_keyed(self) -> bool:
        return self.is_skill or self.is_searchable

    def get(self) -> str | None:
        with _failures(self.label):
            if hasattr(self.source, "init"):
                self.source.init(self.label)
            return _text(self.source.get())

    def load(self, key: str) -> str | None:
        with _failures(self.label):
            return _text(self.source.load(key)) if self.is_skill else None

    def search(self, query: str) -> str | None:
        with _failures(self.label):
            return _text(self.source.search(query)) if self.is_searchable else None

    def set(self, content: str) -> None:
        with _failures(self.label):
            self.source.set(content)

    def put(self, key: str, content: str, description: str | None) -> None:
        """Write an entry; an object that has both load and search is written as a skill."""
        with _failures(self.label):
            if self.is_skill:
                self.source.set(key, content, description)
            else:
                self.source.set(key, content)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


@contextmanager
def _failures(label: str) -> Iterator[None]:
    """Turn whatever a host's object raises into an error that a model can be told."""
    try:
        yield
    except Exception as exc:
        raise ProviderFailed(str(exc) or f'Block "{label}" failed') from exc
