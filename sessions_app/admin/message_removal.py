"""The two ways to delete messages: they alone, or with all below them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sessions_app import sql
from sessions_app.admin.confirming import Going, Removal, foresee_cascade
from sessions_app.models import Message, Session, Usage
from sessions_app.services.writing.deleting import DeleteMode, delete_messages
from sessions_app.sql import walks

# The messages of its own session that are below a message, it included. Parameters:
# message, session.
BELOW = (
    walks.SUBTREE_IDS
    + """
SELECT message.id
FROM subtree
JOIN sessions_app_message message ON message.id = subtree.id
WHERE message.session_id = %(session)s
"""
)


def _foresee_alone(chosen: Sequence[Message]) -> Going:
    going = foresee_cascade(chosen)
    ids = [message.pk for message in chosen]
    sessions = {message.session_id for message in chosen}
    replies = Message.objects.filter(parent__in=ids, session__in=sessions)
    following = replies.exclude(id__in=ids).count()
    going.note(following, "message", "below will follow what is above instead.")
    _note_the_rest(going, ids)
    return going


def _foresee_below(chosen: Sequence[Message]) -> Going:
    ids: set[int] = set()
    for message in chosen:
        rows = sql.rows(BELOW, message=message.pk, session=message.session_id)
        ids.update(id_ for (id_,) in rows)
    going = Going()
    going.add(Message, len(ids))
    going.notes.append(f"{len(chosen):,} selected, with all that follows.")
    _note_the_rest(going, [message.pk for message in chosen])
    return going


def _note_the_rest(going: Going, ids: Sequence[int]) -> None:
    heads = Session.objects.filter(head__in=ids).count()
    going.note(heads, "session", "will have another head, or none.")
    usage = Usage.objects.filter(message__in=ids).count()
    going.note(usage, "row", "of usage will stay in the ledger.")
    going.notes.append("Forks keep the messages that they share.")
    going.notes.append("Compactions cover what is left of their range.")


def _delete(chosen: Sequence[Message], mode: DeleteMode) -> None:
    # Their ids, before any of them goes: a fork's messages may get other primary keys.
    uids: dict[Session, list[str]] = defaultdict(list)
    for message in chosen:
        uids[message.session].append(message.uid)
    for session in sorted(uids, key=lambda session: session.pk):
        delete_messages(session=session, uids=uids[session], mode=mode)


def _delete_alone(chosen: Sequence[Message]) -> None:
    _delete(chosen, "reparent")


def _delete_with_below(chosen: Sequence[Message]) -> None:
    _delete(chosen, "subtree")


ALONE: Removal[Message] = Removal(_foresee_alone, _delete_alone)
WITH_BELOW: Removal[Message] = Removal(
    _foresee_below, _delete_with_below, "delete_below"
)
