"""Compactions as a walk up a path meets them, and the messages that stand for them."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from sessions_app import sql
from sessions_app.messages import summary_message
from sessions_app.times import isoformat_millis


class Cover(NamedTuple):
    """A compaction as a walk meets it; ``created_at`` is in milliseconds."""

    id: int
    uid: str
    summary: str
    tokens_before: int
    tokens_after: int
    created_at: int
    first_id: int
    first_uid: str
    last_id: int
    last_uid: str
    length: int


Summaries = dict[int, tuple[Cover, str]]

# The covers of these keys; the list of them is put in as parameters.
COVERS = """
SELECT
    compaction.id, compaction.uid, compaction.summary, compaction.tokens_before,
    compaction.tokens_after, compaction.created_at,
    compaction.first_id, start.uid, compaction.last_id, finish.uid,
    finish.depth - start.depth + 1
FROM sessions_app_compaction compaction
JOIN sessions_app_message start ON start.id = compaction.first_id
JOIN sessions_app_message finish ON finish.id = compaction.last_id
WHERE compaction.id IN ({})
"""


def read_covers(ids: set[int]) -> Summaries:
    """
    Return compactions by their primary keys, each with its message as JSON text.

    :raises Gone: if one was deleted a moment ago
    """
    if not ids:
        return {}
    params = {f"id{number}": each for number, each in enumerate(ids)}
    places = ", ".join(f"%({name})s" for name in params)
    covers = [Cover(*row) for row in sql.rows(COVERS.format(places), **params)]
    if len(covers) < len(ids):
        raise sql.Gone(ids)
    return {cover.id: (cover, summary_body(cover)) for cover in covers}


def summary_body(cover: Cover) -> str:
    """Return the message that stands for what a compaction covers, as JSON text."""
    message = summary_message(
        uid=cover.uid,
        summary=cover.summary,
        created_at=isoformat_millis(cover.created_at),
        compaction={
            "id": cover.uid,
            "from": cover.first_uid,
            "to": cover.last_uid,
            "count": cover.length,
            "tokens_before": cover.tokens_before,
            "tokens_after": cover.tokens_after,
        },
    )
    return orjson.dumps(message).decode()
