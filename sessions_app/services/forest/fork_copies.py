"""
What a fork takes along beside the path that it shares: copies of further messages.

The path itself is never copied. A copy has the id of its message, and is a message of
the fork's own, written after the fork point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sessions_app import search, sql
from sessions_app.ids import next_ids
from sessions_app.models import Compaction, Label, Session
from sessions_app.services.forest.finding import is_on_path
from sessions_app.sql import climbs, windows

# What a fork takes: the path to its point; the branches below as well; everything.
Include = Literal["path", "branches", "tree"]

BATCH = 500

# Parameters: id, session, parent, skip, seq, old (the message copied).
COPY = """
INSERT INTO sessions_app_message (
    id, session_id, uid, parent_id, skip, depth, role, tokens, path_tokens, seq,
    created_at, body
)
SELECT
    %(id)s, %(session)s, uid, %(parent)s, %(skip)s, depth, role, tokens, path_tokens,
    %(seq)s, created_at, body
FROM sessions_app_message
WHERE id = %(old)s
"""

LINKS = {"branches": windows.LINKS_BELOW, "tree": windows.LINKS_BESIDE}


@dataclass(slots=True)
class Copies:
    """Where copied messages are in a fork, by where they were."""

    session: Session
    fork: Session
    moved: dict[int, int] = field(default_factory=dict)

    def place(self, message: int) -> int:
        """Return where a message is in the fork, which shares it or has a copy."""
        return self.moved.get(message, message)

    def on_path(self, query: str) -> set[int]:
        """Return which rows of the other session lie on the path that is shared."""
        point = self.fork.fork_point_id
        rows = sql.rows(query, session=self.session.id, leaf=point)
        return {found for (found,) in rows}


def copy_messages(session: Session, fork: Session, include: Include) -> Copies:
    """Copy what a fork takes beside its path, and move its head to where the other's is."""
    copies = Copies(session, fork)
    if include == "path":
        return copies
    links = sql.rows(
        LINKS[include],
        session=session.id,
        message=fork.fork_point_id or 0,
        point=session.fork_point_id,
    )
    new_ids = next_ids(len(links))
    copies.moved = dict(zip((old for old, _, _ in links), new_ids, strict=True))
    for batch in _batches(links):
        rows = [_row(copies, link, fork.next_seq + at) for at, link in batch]
        sql.execute_many(COPY, rows)
        search.copy([(row["old"], row["id"]) for row in rows], session_id=fork.id)
    fork.next_seq += len(links)
    fork.message_count += len(links)
    head = session.head_id
    if head in copies.moved or (head and is_on_path(head, fork.fork_point_id or 0)):
        fork.head_id = copies.place(head)
    fork.save(update_fields=["next_seq", "message_count", "head"])
    return copies


def copy_compactions(copies: Copies) -> None:
    """Give a fork the compactions of which it has both ends."""
    shared = copies.on_path(climbs.COMPACTIONS_ON_PATH)
    # In the order of their making: of two that end together the newer is read.
    taken = [
        compaction
        for compaction in Compaction.objects.filter(session=copies.session).order_by(
            "id"
        )
        if compaction.id in shared or compaction.last_id in copies.moved
    ]
    for compaction in taken:
        compaction.pk = None
        compaction.session = copies.fork
        compaction.first_id = copies.place(compaction.first_id)
        compaction.last_id = copies.place(compaction.last_id)
    Compaction.objects.bulk_create(taken)


def copy_labels(copies: Copies) -> None:
    shared = copies.on_path(climbs.LABELS_ON_PATH)
    Label.objects.bulk_create(
        Label(
            session=copies.fork,
            message_id=copies.place(label.message_id),
            text=label.text,
        )
        for label in Label.objects.filter(session=copies.session).order_by("id")
        if label.id in shared or label.message_id in copies.moved
    )


def _batches(links: Sequence[Any]) -> Iterator[list[tuple[int, Any]]]:
    numbered = list(enumerate(links))
    for start in range(0, len(numbered), BATCH):
        yield numbered[start : start + BATCH]


def _row(copies: Copies, link: Sequence[Any], seq: int) -> dict[str, Any]:
    old, parent, skip = link
    moved = copies.moved
    return {
        "id": moved[old],
        "session": copies.fork.id,
        "parent": moved.get(parent, parent),
        "skip": moved.get(skip, skip),
        "seq": seq,
        "old": old,
    }
