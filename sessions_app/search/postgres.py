"""
Searching on PostgreSQL: a tsvector of the stems that FTS5 would have made.

So both databases find the same words. Substrings have no index here: they are
scanned for, CJK ones among the documents that hold CJK.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sessions_app import sql
from sessions_app.search.cjk import holds_cjk
from sessions_app.search.lookups import (
    SCAN_SOURCE,
    Lookup,
    like_conditions,
    of_kind,
    split,
)
from sessions_app.search.query import Group, Query, tsquery
from sessions_app.search.words import lexeme, stems

# Positions beyond this are all kept as this one, by PostgreSQL.
LAST_POSITION = 16_383
# A tsvector may take 1 MiB; of a longer text the beginning is indexed.
MOST_STEMS = 60_000

INSERT = """
INSERT INTO sessions_app_searchdocument (kind, ref, session_id, text, cjk, vector)
VALUES (
    'message', %(ref)s, %(session)s, %(text)s, %(cjk)s, CAST(%(vector)s AS tsvector)
)
"""

UPDATE = """
UPDATE sessions_app_searchdocument
SET text = %(text)s, cjk = %(cjk)s, vector = CAST(%(vector)s AS tsvector)
WHERE kind = 'message' AND ref = %(ref)s
"""

# Parameters: kind, session, pairs (a JSON array of old and new keys).
COPY = """
INSERT INTO sessions_app_searchdocument (kind, ref, session_id, text, cjk, vector)
SELECT
    document.kind, CAST(pair ->> 1 AS bigint), CAST(%(session)s AS bigint),
    document.text, document.cjk, document.vector
FROM jsonb_array_elements(CAST(%(pairs)s AS jsonb)) pair
JOIN sessions_app_searchdocument document
    ON document.kind = %(kind)s AND document.ref = CAST(pair ->> 0 AS bigint)
"""

# Of another kind than messages.
PUT = """
INSERT INTO sessions_app_searchdocument (kind, ref, session_id, text, cjk, vector)
VALUES (%(kind)s, %(ref)s, NULL, %(text)s, %(cjk)s, CAST(%(vector)s AS tsvector))
ON CONFLICT (kind, ref) DO UPDATE
SET text = excluded.text, cjk = excluded.cjk, vector = excluded.vector
"""

MATCHES = "document.vector @@ CAST(%(words)s AS tsquery)"
RANK = "ts_rank_cd(document.vector, CAST(%(words)s AS tsquery), 1)"


def insert(session_id: int, texts: Iterable[tuple[int, str]]) -> None:
    """Add the documents of new messages."""
    rows = [
        {"ref": ref, "session": session_id, **document(text)} for ref, text in texts
    ]
    sql.execute_many(INSERT, rows)


def document(text: str) -> dict[str, Any]:
    """Return what is stored of a text beside the text itself."""
    return {"text": text, "cjk": holds_cjk(text), "vector": vector(text)}


def vector(text: str) -> str:
    return " ".join(
        f"{lexeme(stem)}:{min(position, LAST_POSITION)}"
        for position, stem in enumerate(stems(text)[:MOST_STEMS], start=1)
    )


def lookups(query: Query) -> Iterator[Lookup]:
    plain, others = split(query.groups)
    if plain:
        yield _in_words(" | ".join(f"({tsquery(group)})" for group in plain))
    for group in others:
        yield _with_substrings(group)


def _in_words(expression: str) -> Lookup:
    return Lookup(
        source=SCAN_SOURCE,
        score=RANK,
        conditions=[MATCHES],
        params={"words": expression},
    )


def _with_substrings(group: Group) -> Lookup:
    conditions, params = like_conditions(group, "ILIKE")
    words = tsquery(group)
    if words:
        conditions.append(MATCHES)
        params["words"] = words
    if any(holds_cjk(term.text) for term in of_kind(group.wanted, substring=True)):
        conditions.append("document.cjk")
    return Lookup(
        source=SCAN_SOURCE,
        score=RANK if words else "CAST(0 AS real)",
        conditions=conditions,
        params=params,
        scan=not of_kind(group.wanted, substring=False),
    )


def check() -> None:
    """The vector is a column of the document's own row: there is nothing to compare."""


def rebuild() -> None:
    """Make the vectors anew from the texts, a thousand documents at a time."""
    last = 0
    while batch := sql.rows(NEXT_DOCUMENTS, last=last):
        sql.execute_many(
            SET_VECTOR, [{"id": id_, "vector": vector(text)} for id_, text in batch]
        )
        last = batch[-1][0]


NEXT_DOCUMENTS = """
SELECT id, text
FROM sessions_app_searchdocument
WHERE id > %(last)s
ORDER BY id
LIMIT 1000
"""

SET_VECTOR = """
UPDATE sessions_app_searchdocument
SET vector = CAST(%(vector)s AS tsvector)
WHERE id = %(id)s
"""
