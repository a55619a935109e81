"""A turn: what a model answered and what that took, written as one."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db import transaction

from sessions_app.messages import Draft, parse_body, print_json, read_message
from sessions_app.models import Message, Usage
from sessions_app.services.appending import Appended, append_messages
from sessions_app.services.finding import Tree, find_all
from sessions_app.services.usage import Tokens, add_usage


@dataclass(slots=True)
class Spent:
    """What a model call used; ``details`` are fields of the ledger's row."""

    tokens: Tokens
    cost: Decimal | None
    response_id: str | None
    message: str | None
    details: dict[str, Any]


@transaction.atomic
def add_turn(
    *,
    session: Tree,
    drafts: Sequence[Draft],
    spent: Spent | None,
    response_id: str | None = None,
    **place: Any,
) -> tuple[Appended, Usage | None]:
    """
    Append the messages of a turn, and add its usage to the ledger, both or neither.

    ``place`` is what ``append_messages`` takes besides; ``response_id`` is of the
    response that the ids of the messages were made from, if they were. The usage belongs to the
    message it names, or else to the turn's last one of an assistant. It is safe to send
    a turn again: where all messages were there already, usage counts only if its
    response is new.

    :raises DuplicateId, UnknownParent, HeadMoved: as ``append_messages``
    :raises NotFound: if the session sees no message that the usage names
    """
    if response_id is not None:
        given = drafts
        drafts = _told_apart(session, drafts, response_id)
        if spent is not None and drafts is not given:
            spent.response_id = drafts[0].uid
    appended = append_messages(session_id=session.id, drafts=drafts, **place)
    if spent is None or not (appended.created or spent.response_id):
        return appended, None
    answers = [
        draft.uid
        for draft in drafts
        if draft.role == "assistant" and not draft.is_reserved
    ]
    row, _ = add_usage(
        session=session,
        tokens=spent.tokens,
        cost=spent.cost,
        message=spent.message or (answers[-1] if answers else None),
        response_id=spent.response_id,
        **spent.details,
    )
    return appended, row


def _told_apart(
    session: Tree, drafts: Sequence[Draft], response_id: str
) -> Sequence[Draft]:
    """
    Return an answer with other ids, where an earlier one had the same.

    Ollama numbers its responses at random below a thousand. The new ids follow from the
    content, so that the same answer, sent again, is still known.
    """
    known = find_all(session, [draft.uid for draft in drafts if draft.uid])
    stored = Message.objects.in_bulk([found.id for found in known.values()])
    bodies = {message.uid: message.body for message in stored.values()}
    if all(bodies.get(draft.uid or "", draft.body) == draft.body for draft in drafts):
        return drafts
    content = "".join(draft.body for draft in drafts)
    mark = hashlib.sha256(content.encode()).hexdigest()[:16]
    made = []
    for number, draft in enumerate(drafts):
        uid = f"{response_id[:170]}_{mark}" + (f"_{number}" if number else "")
        message = {**parse_body(draft.body), "id": uid}
        made.append(read_message(print_json(message), f"response[{number}]"))
    return made
