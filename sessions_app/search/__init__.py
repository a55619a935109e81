"""
One index for all that was said, on either database.

``documents`` keeps it in step with what is written, ``find`` looks things up. What
the databases do differently stands in ``sqlite`` and ``postgres``.
"""

from __future__ import annotations

from sessions_app.search.documents import (
    check,
    copy,
    index,
    missing,
    move,
    orphans,
    rebuild,
    reindex,
    remove,
    remove_messages_of,
    remove_session,
)
from sessions_app.search.find import Found, Scope, find
from sessions_app.search.others import Others, drop, put

__all__ = [
    "Found",
    "Others",
    "Scope",
    "check",
    "copy",
    "drop",
    "find",
    "index",
    "missing",
    "move",
    "orphans",
    "put",
    "rebuild",
    "reindex",
    "remove",
    "remove_messages_of",
    "remove_session",
]
