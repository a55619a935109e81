"""
Documents of other things than messages: they belong to no session, and whoever
keeps the things says which of them are looked through.

Call ``put`` and ``drop`` inside the transaction that writes the things.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions_app import sql
from sessions_app.search.backends import backend

DROP = """
DELETE FROM sessions_app_searchdocument
WHERE kind = %(kind)s AND ref = %(ref)s
"""


@dataclass(frozen=True, slots=True)
class Others:
    """
    Where to look: in the documents of a kind for which a condition holds.

    ``condition`` is SQL on ``document.ref``, a constant, with ``params`` of its own.
    """

    kind: str
    condition: str
    params: Mapping[str, Any] = field(default_factory=dict)


def put(kind: str, texts: Iterable[tuple[int, str]]) -> None:
    """Write the texts of things, given with their primary keys, new or changed."""
    used = backend()
    sql.execute_many(
        used.PUT,
        [{"kind": kind, "ref": ref, **used.document(text)} for ref, text in texts],
    )


def drop(kind: str, refs: Iterable[int]) -> None:
    sql.execute_many(DROP, [{"kind": kind, "ref": ref} for ref in refs])
