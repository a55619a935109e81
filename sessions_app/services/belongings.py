"""
What goes with a session into an export and comes back, of apps that this one does not
know of. They add themselves when they start (``AppConfig.ready``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sessions_app.models import Session


class Belonging(NamedTuple):
    """
    A kind of line: its type, how a session's are written, and how they are restored.

    ``restore(session, lines, is_new=...)`` gives a session what it lacks, inside the
    import's transaction, and returns why some of it did not fit.
    """

    type: str
    export: Callable[[Session], Iterable[dict[str, Any]]]
    restore: Callable[..., list[str]]


kinds: list[Belonging] = []


def export_all(session: Session) -> Iterator[dict[str, Any]]:
    for kind in kinds:
        for line in kind.export(session):
            yield {"type": kind.type, **line}


def restore_all(
    session: Session, lines: Sequence[dict[str, Any]], *, is_new: bool
) -> list[str]:
    """Restore the lines of every kind; return what did not fit."""
    problems: list[str] = []
    for kind in kinds:
        own = [line for line in lines if line.get("type") == kind.type]
        if own:
            problems += kind.restore(session, own, is_new=is_new)
    return problems
