"""Who writes: kept beside every version of a block or an entry."""

from __future__ import annotations

from dataclasses import dataclass

# As much of it as a row keeps.
LONGEST = 300


@dataclass(frozen=True, slots=True)
class Author:
    """
    Whoever writes, by a name such as "key mh_1a2b3c4" or "operator ada".

    What an operator writes is not held back: an operator would be who approves it.
    """

    name: str
    is_operator: bool = False

    def __str__(self) -> str:
        return self.name[:LONGEST]


SYSTEM = Author("memoryhub", is_operator=True)


def operator(name: str) -> Author:
    return Author(f"operator {name}", is_operator=True)


def by_tool(tool: str, caller: Author) -> Author:
    """Return who writes when a model calls a tool: a model is no operator."""
    return Author(f"tool {tool}, {caller.name}")
