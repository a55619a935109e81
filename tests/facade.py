"""Sessions of the Python facade for tests, and what a host gives them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from memoryhub import (
    AgentSessionProvider,
    MemorySessionProvider,
    Session,
)


def soul(text: str = "You are helpful.") -> Any:
    return SimpleNamespace(get=lambda: text)


class Notes:
    """A host's own text."""

    def __init__(self, text: str | None = None) -> None:
        self.text = text

    def get(self) -> str | None:
        return self.text

    def set(self, content: str) -> None:
        self.text = content


class Skills:
    """A host's own documents."""

    def __init__(self) -> None:
        self.documents = {"api": "The whole API."}

    def init(self, label: str) -> None:
        self.label = label

    def get(self) -> str:
        return "\n".join(f"- {key}: about {self.label}" for key in self.documents)

    def load(self, key: str) -> str | None:
        return self.documents.get(key)

    def set(self, key: str, content: str, description: str | None) -> None:
        self.documents[key] = content


class Index:
    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    def get(self) -> str:
        return f"{len(self.entries)} entries indexed."

    def search(self, query: str) -> str | None:
        return "\n".join(t for t in self.entries.values() if query in t) or None

    def set(self, key: str, content: str) -> None:
        self.entries[key] = content


class Store:
    def __init__(self) -> None:
        self.text: str | None = None

    def get(self) -> str | None:
        return self.text

    def set(self, text: str) -> None:
        self.text = text


def trip(**options: Any) -> Session:
    return Session(AgentSessionProvider("support", "trip"), **options)


def sessions_of_all_kinds() -> list[Session]:
    return [Session(MemorySessionProvider()), trip()]
