"""What the rail shows, and how much of it at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from sessions_app.dash.session.rail.row import Row
from sessions_app.dash.session.rail.stops import SHOWN, Shown
from sessions_app.models import Session
from sessions_app.services.browsing.outlines import Outline

# Rows at once; the rest has to be asked for.
ROWS = 32
# Signs of a row's text: about twice as many as fit.
LONGEST = 60


@dataclass(slots=True)
class Rail:
    """
    The rows that are shown, and how many messages and branches stand above and below.

    ``before`` is the place that the rows above those shown end at.
    """

    session: Session
    leaf: str | None
    shown: Shown
    choices: Mapping[Shown, str] = field(default_factory=lambda: SHOWN)
    root: list[Row] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    end: list[Row] = field(default_factory=list)
    limit: int = ROWS
    older: int = 0
    older_branches: int = 0
    before: int = 0
    newer: int = 0
    selected: str = ""
    outline: Outline | None = None
    is_window: bool = False

    @property
    def older_link(self) -> str:
        return urlencode({**self._place(), "rail": self.before})

    @property
    def newest_link(self) -> str:
        return urlencode(self._place())

    def _place(self) -> dict[str, str | None]:
        return {"leaf": self.leaf, "show": self.shown}


def place_in(given: str | int | None) -> int | None:
    """Return the place on a path that an address names; what is none is left out."""
    text = str(given or "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
