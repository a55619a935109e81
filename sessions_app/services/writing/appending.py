"""Adding messages to a session: the hot path, in a few hand-written statements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from django.db import transaction
from msgspec import UNSET, UnsetType
from uuid_utils.compat import uuid7

from sessions_app import search, sql
from sessions_app.errors import Invalid
from sessions_app.ids import next_ids
from sessions_app.messages import Draft
from sessions_app.models.fields import now_millis
from sessions_app.services.compaction.automatic import queue_if_due
from sessions_app.services.forest.finding import Found, find_all
from sessions_app.services.forest.locking import lock_session_row
from sessions_app.services.forest.totals import hidden_tokens
from sessions_app.services.writing.conflicts import OnConflict, base_for
from sessions_app.spine import Spine, Vertebra, extend
from sessions_app.sql import climbs, writes
from sessions_app.sql.writes import SessionRow


class DuplicateId(Invalid):
    code = "duplicate_id"


class Receipt(NamedTuple):
    """What became of one message of a batch."""

    uid: str
    status: Literal["created", "existing", "dropped"]
    seq: int | None = None
    depth: int | None = None
    tokens: int | None = None


@dataclass(slots=True)
class Appended:
    """What became of a batch, and where the session stands now."""

    receipts: list[Receipt]
    head: str | None
    context_tokens: int
    compaction: Literal["queued"] | None = None

    @property
    def created(self) -> bool:
        return any(receipt.status == "created" for receipt in self.receipts)


def write_messages(
    *,
    session_id: int,
    drafts: Sequence[Draft],
    parent: str | None | UnsetType = UNSET,
    expected_head: str | None | UnsetType = UNSET,
    on_conflict: OnConflict = "reject",
) -> Appended:
    """
    Add messages one after another, all or none, and move the head to the last.

    The first follows ``parent``: by default the head; None starts a new root. A
    message whose id the session has changes nothing, and the next one follows it,
    so a caller may safely send a batch again. Echoes of compactions are dropped. For a
    transaction that has begun.

    :raises DuplicateId: if the batch has an id twice
    :raises UnknownParent: if the session has no such message
    :raises HeadMoved: if the head is not the expected one; see ``base_for``
    """
    session = lock_session_row(session_id)
    existing = _existing(session, drafts)
    fresh = [d for d in drafts if not d.is_reserved and d.uid not in existing]
    if not fresh:
        head, context_tokens = sql.first(writes.STANDING, session=session_id) or (
            None,
            0,
        )
        return Appended(_receipts(drafts, existing, {}), head, context_tokens)

    base = base_for(
        session, parent=parent, expected_head=expected_head, on_conflict=on_conflict
    )
    rows = list(_chain(session, drafts, existing, base))
    sql.execute_many(writes.INSERT_MESSAGE, rows)
    search.index(session_id, [(row["id"], row["text"]) for row in rows])

    last = rows[-1]
    follows = [row["parent"] for row in rows] == [
        session.head_id,
        *(row["id"] for row in rows[:-1]),
    ]
    hidden = session.hidden_tokens
    if not follows:
        hidden = hidden_tokens(session_id, last["id"])
    sql.execute(
        writes.MOVE_HEAD,
        session=session_id,
        head=last["id"],
        count=len(rows),
        hidden_tokens=hidden,
        now=last["created_at"],
    )
    created = {row["uid"]: row for row in rows}
    context_tokens = last["path_tokens"] - hidden
    return Appended(
        _receipts(drafts, existing, created),
        last["uid"],
        context_tokens,
        queue_if_due(session, context_tokens),
    )


append_messages = transaction.atomic(write_messages)
"""Add messages as ``write_messages`` does, in a transaction of their own."""


def _existing(session: SessionRow, drafts: Sequence[Draft]) -> dict[str, Found]:
    uids = [draft.uid for draft in drafts if draft.uid and not draft.is_reserved]
    if len(uids) != len(set(uids)):
        twice = next(uid for uid in uids if uids.count(uid) > 1)
        raise DuplicateId(f"The batch has the id {twice!r} twice", id=twice)
    return find_all(session, uids)


def _chain(
    session: SessionRow,
    drafts: Sequence[Draft],
    existing: dict[str, Found],
    base: int | None,
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the new messages, each under the one before it."""
    count = sum(1 for d in drafts if not d.is_reserved and d.uid not in existing)
    ids = iter(next_ids(count))
    now = now_millis()
    seq = session.next_seq
    spine, path_tokens = _load_spine(base, count)
    for draft in drafts:
        if draft.is_reserved:
            continue
        if found := existing.get(draft.uid or ""):
            spine, path_tokens = _load_spine(found.id, count)
            continue
        if draft.uid is None:
            draft.identify(str(uuid7()))
        parent = spine[0] if spine else None
        depth = parent.depth + 1 if parent else 0
        path_tokens += draft.tokens
        spine = extend(spine, id=next(ids), depth=depth)
        yield {
            "id": spine[0].id,
            "session": session.id,
            "uid": draft.uid,
            "parent": parent.id if parent else None,
            "skip": spine[1].id if parent else None,
            "depth": depth,
            "role": draft.role,
            "tokens": draft.tokens,
            "path_tokens": path_tokens,
            "seq": seq,
            "created_at": now if draft.created_at is None else draft.created_at,
            "body": draft.body,
            "text": draft.text,
        }
        seq += 1


def _load_spine(message: int | None, count: int) -> tuple[Spine, int]:
    """Return enough of a message's spine for ``count`` more, and its path's tokens."""
    if message is None:
        return [], 0
    rows = sql.rows(climbs.SPINE, message=message, steps=count + 1)
    return [Vertebra(id_, depth) for id_, depth, _ in rows], rows[0][2]


def _receipts(
    drafts: Sequence[Draft],
    existing: dict[str, Found],
    created: dict[str, dict[str, Any]],
) -> list[Receipt]:
    receipts = []
    for draft in drafts:
        uid = draft.uid or ""
        if draft.is_reserved:
            receipts.append(Receipt(uid, "dropped"))
        elif row := created.get(uid):
            receipts.append(
                Receipt(uid, "created", row["seq"], row["depth"], row["tokens"])
            )
        else:
            found = existing[uid]
            receipts.append(
                Receipt(uid, "existing", found.seq, found.depth, found.tokens)
            )
    return receipts
