"""Changing a message that is there, and naming one."""

from __future__ import annotations

from django.db import transaction
from django.utils.timezone import now
from msgspec import UNSET, UnsetType

from sessions_app import search, sql
from sessions_app.errors import Invalid
from sessions_app.messages import RESERVED_PREFIX, Draft
from sessions_app.models import Label, Message, Session
from sessions_app.services.forest.finding import find, get_found
from sessions_app.services.forest.forks import detach, detach_forks_of
from sessions_app.services.forest.keeping import keep_edited
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.forest.totals import mend_hidden_tokens
from sessions_app.services.writing.appending import append_messages
from sessions_app.sql import walks

# Parameters: message, tokens (how many more or less the path takes from it on).
SHIFT_PATH_TOKENS = (
    walks.SUBTREE_IDS
    + """
UPDATE sessions_app_message
SET path_tokens = path_tokens + %(tokens)s
WHERE id IN (SELECT id FROM subtree)
"""
)


class ReservedId(Invalid):
    code = "reserved_id"


@transaction.atomic
def put_message(
    *,
    session: Session,
    draft: Draft,
    parent: str | None | UnsetType = UNSET,
    by: str = "",
) -> tuple[Message, bool]:
    """
    Write a message over the one of its id, or add it; return it with whether it is new.

    ``parent`` is for a new one: a message never moves. Forks keep what they had, and
    what was there before is kept as a change, which says by whom.

    :raises ReservedId: if the id is that of a compaction's summary
    :raises UnknownParent: if a new message's parent is not in the session
    """
    if draft.is_reserved:
        raise ReservedId(
            f"Ids that begin with {RESERVED_PREFIX} stand for summaries: change the "
            "compaction instead",
            id=draft.uid,
        )
    session = lock_session(session)
    if draft.uid is None or not find(session, draft.uid):
        append_messages(session_id=session.id, drafts=[draft], parent=parent)
        return session.messages.get(uid=draft.uid), True

    message = own_message(session, draft.uid)
    write_over(session, message, draft, by)
    message.refresh_from_db()
    return message, False


def write_over(session: Session, message: Message, draft: Draft, by: str) -> None:
    """Give a session's own message what a draft says, and keep what it said."""
    detach_forks_of(message.id)
    if draft.body != message.body:
        keep_edited(session, message, by)
    shift = draft.tokens - message.tokens
    message.role, message.body, message.tokens = draft.role, draft.body, draft.tokens
    message.save(update_fields=["role", "body", "tokens"])
    search.reindex(message.id, draft.text)
    if shift:
        sql.execute(SHIFT_PATH_TOKENS, message=message.id, tokens=shift)
        session.refresh_from_db()
        mend_hidden_tokens(session)
    Session.objects.filter(id=session.id).update(updated_at=now())


def own_message(session: Session, uid: str) -> Message:
    """
    Return a message of the session as its own, to be changed.

    One that the session shares as a fork is detached first.

    :raises NotFound: if the session sees no such message
    """
    found = get_found(session, uid)
    if not session.messages.filter(id=found.id).exists():
        detach(session.id)
        session.refresh_from_db()
    return session.messages.get(uid=uid)


@transaction.atomic
def set_label(*, session: Session, uid: str, text: str | None) -> None:
    """
    Name a message in a session, or with None take its name away.

    :raises NotFound: if the session sees no such message
    """
    session = lock_session(session)
    found = get_found(session, uid)
    if text is None:
        Label.objects.filter(session=session, message=found.id).delete()
    else:
        Label.objects.update_or_create(
            session=session, message_id=found.id, defaults={"text": text}
        )
