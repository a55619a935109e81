"""
What blocks belong to, as a path names it: a session, or an agent.

The endpoints below both are the same, and made once for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ninja import Status
from ninja.params import functions

from context_app.api.shapes import block_shape, entry_shape, held_shape
from context_app.authors import Author
from context_app.models import Block, Entry, HeldWrite
from context_app.services.finding import Owner, get_block
from sessions_app.api.auth import ApiRequest, Scope
from sessions_app.api.lookups import get_session, named_agent


class Holder(NamedTuple):
    """``parameter`` is its name in a path, ``noun`` what it is."""

    parameter: str
    noun: str
    find: Callable[[ApiRequest, str], Owner]

    @property
    def key(self) -> Any:
        """Return the default of an endpoint's argument that takes the parameter."""
        return functions.Path(..., alias=self.parameter)

    @property
    def article(self) -> str:
        return f"{'an' if self.noun == 'agent' else 'a'} {self.noun}"

    def operation(self, name: str) -> str:
        """Return the id of an operation, which has to be unique."""
        return f"{self.noun}_{name}"

    def block(self, request: ApiRequest, key: str, label: str) -> Block:
        """
        :raises NotFound: if there is none, or it is not the caller's to see
        """
        return get_block(self.find(request, key), label)

    def author(self, request: ApiRequest) -> Author:
        """Return who writes; an admin's key at an agent's own blocks is an operator."""
        is_admin = request.auth.scope == Scope.ADMIN
        return author_of(request, is_operator=is_admin and self is AGENTS)


SESSIONS = Holder("id", "session", get_session)
AGENTS = Holder("agent", "agent", named_agent)


def author_of(request: ApiRequest, *, is_operator: bool = False) -> Author:
    return Author(f"key {request.auth.prefix}", is_operator=is_operator)


def written(
    result: Block | Entry | HeldWrite, status: int = 200
) -> Status[dict[str, Any]]:
    """Answer a write; one that is held is answered 202, with what is held."""
    if isinstance(result, HeldWrite):
        return Status(202, held_shape(result))
    shape = block_shape(result) if isinstance(result, Block) else entry_shape(result)
    return Status(status, shape)
