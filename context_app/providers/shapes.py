"""What stands behind a block, whichever kind it is."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from sessions_app.errors import Conflict


class StorageUnavailable(Conflict):
    """The files behind a block cannot be had just now."""

    code = "storage_unavailable"


class Listed(NamedTuple):
    """An entry as its block lists it."""

    key: str
    description: str


class Provider(Protocol):
    """
    How a block is read; None is nothing at all, which an empty text is not.

    Writing is the business of the services, which keep versions and limits.
    """

    def get(self) -> str | None:
        """Return what the prompt shows."""

    def load(self, key: str) -> str | None:
        """Return the text of an entry."""

    def search(self, query: str) -> str | None:
        """Return the entries that are found, as text for a model."""


def listing(entries: list[Listed]) -> str | None:
    """Return entries as a prompt lists them (../spec/sessions.md, section 2.6)."""
    return "\n".join(map(_line, entries)) or None


def _line(entry: Listed) -> str:
    # On one line each: a description must not look like a further entry.
    description = " ".join(entry.description.split())
    return f"- {entry.key}: {description}" if description else f"- {entry.key}"
