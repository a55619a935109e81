"""Telling turns apart, and knowing one that is sent again."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from sessions_app.messages import Draft, parse_body, print_json, read_message
from sessions_app.models import Message
from sessions_app.services.forest.finding import Tree, find_all


def made_of_ids(drafts: Sequence[Draft]) -> str | None:
    """Return what stands for a turn's response, if all its messages have ids."""
    uids = _uids(drafts)
    if not all(uids):
        return None
    return "turn_" + hashlib.sha256("\n".join(uids).encode()).hexdigest()[:32]


def is_stored(session: Tree, drafts: Sequence[Draft]) -> bool:
    """Say whether a turn was accepted before, so that its reply may be given again."""
    uids = _uids(drafts)
    return all(uids) and len(find_all(session, uids)) == len(set(uids))


def _uids(drafts: Sequence[Draft]) -> list[str]:
    """Return the ids of a turn's messages, one that has none as an empty text."""
    return [draft.uid or "" for draft in drafts if not draft.is_reserved] or [""]


def told_apart(
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
