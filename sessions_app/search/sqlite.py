"""
Searching on SQLite: FTS5 tables that triggers keep in step with the documents.

Words are looked up in one table. Substrings that hold CJK and are three characters
long or more are looked up in a table of trigrams, which has just the documents that
hold CJK; shorter ones would find nothing there, with no error, and are scanned for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

from sessions_app import sql
from sessions_app.search.cjk import holds_cjk
from sessions_app.search.lookups import (
    SCAN_SOURCE,
    SHORTEST_TRIGRAM,
    Lookup,
    like_conditions,
    of_kind,
    split,
)
from sessions_app.search.query import Group, Query, Term, fts5_expression

INSERT = """
INSERT INTO sessions_app_searchdocument (kind, ref, session_id, text, cjk)
VALUES ('message', %(ref)s, %(session)s, %(text)s, %(cjk)s)
"""

# Several at once: before each statement FTS5 writes out what it has gathered, as a part
# of the index that it has to merge with the others later.
# Parameters: session, documents (a JSON array of ref, text and cjk).
INSERT_MANY = """
INSERT INTO sessions_app_searchdocument (kind, ref, session_id, text, cjk)
SELECT 'message', value ->> 0, %(session)s, value ->> 1, value ->> 2
FROM json_each(%(documents)s)
"""

UPDATE = """
UPDATE sessions_app_searchdocument
SET text = %(text)s, cjk = %(cjk)s
WHERE kind = 'message' AND ref = %(ref)s
"""

# Parameters: kind, session, pairs (a JSON array of old and new keys).
COPY = """
INSERT INTO sessions_app_searchdocument (kind, ref, session_id, text, cjk)
SELECT document.kind, pair.value ->> 1, %(session)s, document.text, document.cjk
FROM json_each(%(pairs)s) pair
CROSS JOIN sessions_app_searchdocument document
WHERE document.kind = %(kind)s AND document.ref = pair.value ->> 0
"""

# Of another kind than messages.
PUT = """
INSERT INTO sessions_app_searchdocument (kind, ref, session_id, text, cjk)
VALUES (%(kind)s, %(ref)s, NULL, %(text)s, %(cjk)s)
ON CONFLICT (kind, ref) DO UPDATE SET text = excluded.text, cjk = excluded.cjk
"""

# CROSS makes SQLite begin with the index: the other way round it would run the MATCH
# anew for each document.
WORDS = """sessions_app_search
CROSS JOIN sessions_app_searchdocument document ON document.id = sessions_app_search.rowid"""

TRIGRAMS = """sessions_app_trigrams
CROSS JOIN sessions_app_searchdocument document ON document.id = sessions_app_trigrams.rowid"""

# The documents of a session lie close together, and FTS5 can begin and end anywhere.
# Parameters: session.
_OF_SESSION = """BETWEEN
    (SELECT min(id) FROM sessions_app_searchdocument WHERE session_id = %(session)s)
    AND (SELECT max(id) FROM sessions_app_searchdocument WHERE session_id = %(session)s)
"""
WORDS_WITHIN = f"sessions_app_search.rowid {_OF_SESSION}"
TRIGRAMS_WITHIN = f"sessions_app_trigrams.rowid {_OF_SESSION}"

# Parameters: kind.
_OF_KIND = """BETWEEN
    (SELECT min(id) FROM sessions_app_searchdocument WHERE kind = %(kind)s)
    AND (SELECT max(id) FROM sessions_app_searchdocument WHERE kind = %(kind)s)
"""
WORDS_WITHIN_KIND = f"sessions_app_search.rowid {_OF_KIND}"
TRIGRAMS_WITHIN_KIND = f"sessions_app_trigrams.rowid {_OF_KIND}"

NOT_WORDS = """document.id NOT IN (
    SELECT rowid FROM sessions_app_search WHERE sessions_app_search MATCH %(unwanted)s
)"""


def insert(session_id: int, texts: Iterable[tuple[int, str]]) -> None:
    """Add the documents of new messages."""
    rows = [(ref, text, holds_cjk(text)) for ref, text in texts]
    if len(rows) == 1:
        ref, text, cjk = rows[0]
        sql.execute(INSERT, session=session_id, ref=ref, text=text, cjk=cjk)
    else:
        documents = orjson.dumps(rows).decode()
        sql.execute(INSERT_MANY, session=session_id, documents=documents)


def document(text: str) -> dict[str, Any]:
    """Return what is stored of a text beside the text itself."""
    return {"text": text, "cjk": holds_cjk(text)}


def lookups(query: Query) -> Iterator[Lookup]:
    plain, others = split(query.groups)
    if plain:
        expression = " OR ".join(f"({fts5_expression(group)})" for group in plain)
        yield _in_words(expression)
    for group in others:
        yield _with_substrings(group)


def _in_words(expression: str) -> Lookup:
    return Lookup(
        source=WORDS,
        score="-bm25(sessions_app_search)",
        conditions=["sessions_app_search MATCH %(words)s"],
        params={"words": expression},
        within=WORDS_WITHIN,
        within_kind=WORDS_WITHIN_KIND,
    )


def _with_substrings(group: Group) -> Lookup:
    conditions, params = like_conditions(group, "LIKE")
    wanted = of_kind(group.wanted, substring=False)
    unwanted = of_kind(group.excluded, substring=False)
    indexed = [
        term
        for term in of_kind(group.wanted, substring=True)
        if holds_cjk(term.text) and len(term.text) >= SHORTEST_TRIGRAM
    ]
    if wanted:
        expression = fts5_expression(Group(wanted, unwanted))
        lookup = _in_words(str(expression))
    else:
        lookup = _in_trigrams(indexed) if indexed else _scan()
        if unwanted:
            conditions.append(NOT_WORDS)
            params["unwanted"] = " OR ".join(
                str(fts5_expression(Group((term,), ()))) for term in unwanted
            )
    return replace(
        lookup,
        conditions=[*lookup.conditions, *conditions],
        params=lookup.params | params,
    )


def _in_trigrams(terms: Sequence[Term]) -> Lookup:
    quoted = (term.text.replace('"', '""') for term in terms)
    return Lookup(
        source=TRIGRAMS,
        score="-bm25(sessions_app_trigrams)",
        conditions=["sessions_app_trigrams MATCH %(trigrams)s"],
        params={"trigrams": " AND ".join(f'"{text}"' for text in quoted)},
        within=TRIGRAMS_WITHIN,
        within_kind=TRIGRAMS_WITHIN_KIND,
    )


def _scan() -> Lookup:
    return Lookup(source=SCAN_SOURCE, score="0.0", conditions=[], scan=True)


INTEGRITY = """
INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)
"""


def check() -> None:
    """
    Compare the index with the documents, word for word.

    :raises DatabaseError: if they differ
    """
    for table in ("sessions_app_search", "sessions_app_trigrams"):
        sql.execute(INTEGRITY.format(table=table))


def rebuild() -> None:
    """Make the index anew from the documents."""
    for table in ("sessions_app_search", "sessions_app_trigrams"):
        sql.execute(f"INSERT INTO {table} ({table}) VALUES ('rebuild')")
