"""
What stands behind a block, when it is said by name: rows of the database, or files.

Everything else that ``with_context`` takes is an object of the host's own, known by its
methods (../../../spec/sessions.md, section 2.5), or a function that makes one for the id of a session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from context_app.models import Block
from context_app.providers import PythonBlock
from context_app.services.rules import check_label
from memoryhub.facade.checks import check_count
from memoryhub.facade.settling import Settled
from sessions_app.errors import Invalid


@dataclass(frozen=True)
class StoredProvider:
    """A block of the session in the database."""

    kind: str = Block.Kind.WRITABLE
    source: str = Block.Source.OWN
    storage: Mapping[str, Any] | None = None


class AgentContextProvider(StoredProvider):
    """A text that the model may write: what a block is, if nothing else is said."""


class AgentSkillProvider(StoredProvider):
    """Documents that the model loads by their keys."""

    def __init__(self) -> None:
        super().__init__(Block.Kind.SKILL)


class AgentSearchProvider(StoredProvider):
    """Notes that the model searches; those of one session are not another's."""

    def __init__(self) -> None:
        super().__init__(Block.Kind.SEARCH)


class FileSkillProvider(StoredProvider):
    """Documents in a folder or a bucket: in ``STORAGES["skills"]``, below a prefix."""

    def __init__(
        self, *, prefix: str = "", keys: Sequence[str] = (), writable: bool = False
    ) -> None:
        storage = {"prefix": prefix, "keys": list(keys), "writable": writable}
        super().__init__(Block.Kind.SKILL, Block.Source.STORAGE, storage)


HISTORY = StoredProvider(Block.Kind.SEARCH, Block.Source.HISTORY)


@dataclass(frozen=True, slots=True)
class BlockPlan:
    """A block as ``with_context`` describes it."""

    label: str
    description: str = ""
    max_tokens: int | None = None
    provider: Any = None

    def __post_init__(self) -> None:
        """
        :raises Invalid: if it cannot be a block
        """
        check_label(self.label)
        if self.max_tokens is not None:
            check_count(self.max_tokens, "max_tokens")
        own = self.provider is not None and not isinstance(
            self.provider, StoredProvider
        )
        if own and not is_factory(self.provider):
            check_provider(self.label, self.provider)

    @property
    def stored(self) -> StoredProvider | None:
        """Return what stands behind a block in the database; None for a host's own."""
        if self.provider is None:
            return StoredProvider()
        return self.provider if isinstance(self.provider, StoredProvider) else None

    def hosted(self, session_id: str, position: int) -> PythonBlock:
        """
        Return a block of the host's own.

        :raises Invalid: if a function made for it what is no provider
        """
        provider = made_for(session_id, self.provider)
        check_provider(self.label, provider)
        return PythonBlock(
            self.label,
            Settled(provider),
            self.description,
            self.max_tokens,
            position,
        )


def check_provider(label: str, provider: Any) -> None:
    """
    :raises Invalid: if it is no object with a method ``get``
    """
    is_object = not isinstance(provider, Mapping | type)
    if not (is_object and callable(getattr(provider, "get", None))):
        raise Invalid(
            f'Block "{label}": its provider must be an object with a method get(), '
            "or a function that takes the id of a session and returns one",
            label=label,
        )


def made_for(session_id: str, provider: Any) -> Any:
    """Return an object as it is, or what a function makes for a session."""
    return provider(session_id) if is_factory(provider) else provider


def is_factory(provider: Any) -> bool:
    return callable(provider) and not hasattr(provider, "get")


def is_leaky(provider: Any) -> bool:
    """Say whether sessions that share an object could read what others wrote to it."""
    own = provider is not None and not isinstance(provider, StoredProvider)
    return own and not is_factory(provider) and hasattr(provider, "set")
