"""One line of the rail."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Kind = Literal["message", "run", "band", "branch", "more"]


@dataclass(slots=True)
class Row:
    """
    One line. ``at`` is the place on the path that it stands at.

    ``message`` is what it leads to: of a branch its first, of a run the first of it.
    """

    kind: Kind
    at: int
    message: int
    level: int = 0
    # Whose first words stand for it: a branch may begin with a tool's answer.
    speaker: int = 0
    node: str = ""
    line: str = "full"
    # Of a message its number; of a run or a branch how many messages; of a band tokens.
    count: int = 0
    # Branches that are not shown here, below this one or beside it.
    branches: int = 0
    covered: bool = False
    dashed: bool = False
    current: bool = False
    is_head: bool = False
    goes_on: bool = False
    leaf: int | None = None
    text: str = ""
    label: str = ""
    created_at: datetime | None = None
    age: str = ""
    link: str = ""
    ask: str = ""
    tokens: int = 0
    cost: int | None = None
    has_calls: bool = False
    uid: str = ""
    leaf_uid: str = ""
    span: tuple[int, int] = field(default=(0, 0))
