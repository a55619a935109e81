"""
The least that an append can cost: its statements by hand, with all values at hand.

They are the project's own, on the same schema. What is left out is everything
between them: reading the messages, Django, the write lock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

from benchmarks.conversations import Conversation
from benchmarks.databases import Raw
from sessions_app import ids
from sessions_app.messages import Draft
from sessions_app.search import sqlite as search
from sessions_app.services.forest import finding
from sessions_app.services.spend import usage
from sessions_app.spine import Vertebra, extend
from sessions_app.sql import climbs, writes

PARAMETER = re.compile(r"%\((\w+)\)s")
PLACE = """
SELECT head_id, next_seq FROM sessions_app_session WHERE id = :session
"""


def named(statement: str) -> str:
    """Return a statement with its parameters as SQLite writes them."""
    return PARAMETER.sub(r":\1", statement)


SESSION = named(writes.SESSION)
OWN = named(finding.OWN)
SPINE = named(climbs.SPINE)
LAST = ids.SQLITE_LAST
INSERT = named(writes.INSERT_MESSAGE)
INDEX = named(search.INSERT)
INDEX_MANY = named(search.INSERT_MANY)
MOVE = named(writes.MOVE_HEAD)
USAGE = named(usage.INSERT)

Row = dict[str, Any]


class AppendFloor:
    """
    Appends prepared batches to a session, one a call.

    With ``spent`` each batch is a turn, to whose last message the row of the ledger
    belongs.
    """

    def __init__(
        self,
        raw: Raw,
        session: int,
        conversation: Conversation,
        spent: Row | None = None,
    ) -> None:
        self.raw = raw
        self.session = session
        self.spent = spent
        self.rows = self._prepare(conversation)
        self.batches: list[list[Row]] = []

    def prepare(self, batches: int, size: int) -> None:
        self.batches = [list(islice(self.rows, size)) for _ in range(batches)]
        self.batches.reverse()

    def __call__(self) -> None:
        rows = self.batches.pop()
        execute = self.raw.execute
        session = {"session": self.session}
        execute("BEGIN IMMEDIATE")
        (_, head, *_) = execute(SESSION, session).fetchone()
        if len(rows) == 1:
            execute(OWN, rows[0]).fetchone()
        else:
            execute(
                _own_of(len(rows)), [self.session, *(r["uid"] for r in rows)]
            ).fetchall()
        execute(SPINE, {"message": head, "steps": len(rows) + 1}).fetchall()
        execute(LAST).fetchone()
        self.raw.executemany(INSERT, rows)
        if len(rows) == 1:
            execute(INDEX, rows[0])
        else:
            execute(INDEX_MANY, {**session, "documents": _documents(rows)})
        execute(MOVE, rows[-1] | {"head": rows[-1]["id"], "count": len(rows)})
        if self.spent is not None:
            execute(USAGE, self.spent | {"message": rows[-1]["uid"]}).fetchone()
        execute("COMMIT")

    def _prepare(self, conversation: Conversation) -> Iterator[Row]:
        head, seq = self.raw.execute(PLACE, {"session": self.session}).fetchone()
        found = self.raw.execute(SPINE, {"message": head, "steps": 99}).fetchall()
        spine = [Vertebra(id_, depth) for id_, depth, _ in found]
        path_tokens = found[0][2]
        (id_,) = self.raw.execute(LAST).fetchone()
        while True:
            (draft,) = conversation.drafts(1)
            id_ += 1
            path_tokens += draft.tokens
            spine = extend(spine, id=id_, depth=spine[0].depth + 1)
            yield _values(draft) | {
                "id": id_,
                "ref": id_,
                "session": self.session,
                "parent": id_ - 1 if head is None else head,
                "skip": spine[1].id,
                "depth": spine[0].depth,
                "path_tokens": path_tokens,
                "seq": seq,
            }
            head, seq = id_, seq + 1


def _values(draft: Draft) -> Row:
    return {
        "uid": draft.uid,
        "role": draft.role,
        "body": draft.body,
        "text": draft.text,
        "tokens": draft.tokens,
        "cjk": search.document(draft.text)["cjk"],
        "hidden_tokens": 0,
        "created_at": 1_790_000_000_000,
        "now": 1_790_000_000_000,
    }


def _documents(rows: list[Row]) -> str:
    return orjson.dumps(
        [(row["ref"], row["text"], row["cjk"]) for row in rows]
    ).decode()


def _own_of(count: int) -> str:
    marks = ", ".join("?" * count)
    return f"""
    SELECT id, uid, depth, seq, tokens
    FROM sessions_app_message
    WHERE session_id = ? AND uid IN ({marks})
    """
