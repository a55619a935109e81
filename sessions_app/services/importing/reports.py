"""What an import did, counted."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from decimal import Decimal

from sessions_app.services.importing.conversations import Problem


@dataclass(slots=True)
class Counts:
    """How many of each there were, and how many of them were new."""

    sessions: int = 0
    new_sessions: int = 0
    messages: int = 0
    new_messages: int = 0
    branch_points: int = 0
    compactions: int = 0
    new_compactions: int = 0
    labels: int = 0
    new_labels: int = 0
    usage: int = 0
    new_usage: int = 0
    cost: Decimal = Decimal(0)
    new_cost: Decimal = Decimal(0)
    settings: int = 0

    @property
    def has_news(self) -> bool:
        return any(
            getattr(self, each.name)
            for each in fields(self)
            if each.name.startswith("new_")
        )

    def add(self, other: Counts) -> None:
        for each in fields(self):
            total = getattr(self, each.name) + getattr(other, each.name)
            setattr(self, each.name, total)


@dataclass(slots=True)
class Report:
    """What became of one file."""

    format: str
    counts: Counts = field(default_factory=Counts)
    problems: list[Problem] = field(default_factory=list)
    # The ids of the sessions, as they are here.
    keys: list[str] = field(default_factory=list)
