from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Event:
    """
    One thing that happened: a sentence, by whom, and what it is about.

    ``about`` is the kind of thing and its id, as a face knows how to link it; ``ref``
    tells events of one moment apart.
    """

    at: datetime
    kind: str
    ref: str
    what: str
    who: str = ""
    detail: str = ""
    about: tuple[str, str] = ("", "")
    failed: bool = False
    # Of calls: what they cost; None is not priced.
    nanos: int | None = None

    @property
    def place(self) -> tuple[datetime, str]:
        return self.at, self.ref

    @property
    def cursor(self) -> str:
        return f"{self.at.isoformat()}~{self.ref}"
