"""What happens to a session as a whole."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
from django.db import transaction
from django.utils.timezone import now
from uuid_utils.compat import uuid7

from sessions_app import search, sql
from sessions_app.messages import read_message
from sessions_app.models import Agent, Compaction, Session
from sessions_app.services.compaction.outcomes import note_success
from sessions_app.services.compaction.overlays import check_summary
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.followers import (
    tell_cleared,
    tell_deleting,
    tell_forked,
)
from sessions_app.services.forest.forks import detach, detach_forks_into
from sessions_app.services.forest.keeping import finish, keep_cleared
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.forest.totals import hidden_tokens
from sessions_app.services.writing.appending import append_messages

SPLIT_NOTE = "[What the session before this one came to]"

DELETE_MESSAGES = "DELETE FROM sessions_app_message WHERE session_id = %(session)s"


@transaction.atomic
def update_session(*, session: Session, **fields: Any) -> Session:
    """
    Change a session's own fields.

    ``archived`` is a boolean, and ``ttl_seconds`` counts from now; None ends it.
    """
    session = lock_session(session)
    moment = now()
    if "archived" in fields:
        archived = fields.pop("archived")
        fields["archived_at"] = (session.archived_at or moment) if archived else None
    if "ttl_seconds" in fields:
        ttl = fields.pop("ttl_seconds")
        fields["expires_at"] = None if ttl is None else moment + timedelta(seconds=ttl)
    for field, value in {**fields, "updated_at": moment}.items():
        setattr(session, field, value)
    session.save(update_fields=[*fields, "updated_at"])
    return session


@transaction.atomic
def check_out(*, session: Session, uid: str) -> Session:
    """
    Make a message the head, so that the next one follows it.

    :raises NotFound: if the session has no such message
    """
    session = lock_session(session)
    session.head_id = get_place(session, uid).id
    session.hidden_tokens = hidden_tokens(session.id, session.head_id)
    session.updated_at = now()
    session.save(update_fields=["head", "hidden_tokens", "updated_at"])
    return session


@transaction.atomic
def split_session(*, session: Session, summary: str, name: str = "") -> Session:
    """
    End a session for its length, and return a new one that starts from a summary.

    Of the seed's compactAndSplit: the new one has the old one's model, source and kind.

    :raises Invalid: if the summary says nothing
    """
    check_summary(summary)
    session = lock_session(session)
    update_session(session=session, end_reason="compaction")
    successor = create_session(
        agent=session.agent,
        name=name or session.name or "Compacted",
        parent_session=session,
        model=session.model,
        source=session.source,
        kind=session.kind,
        compact_after=session.compact_after,
    )
    text = f"{SPLIT_NOTE}\n\n{summary}"
    message = {"role": "assistant", "parts": [{"type": "text", "text": text}]}
    draft = read_message(orjson.dumps(message), "summary")
    append_messages(session_id=successor.id, drafts=[draft])
    tell_forked(session, successor)
    successor.refresh_from_db()
    return successor


@transaction.atomic
def clear_session(*, session: Session, by: str = "") -> int:
    """
    Delete a session's messages and compactions, and return how many messages.

    They are kept as a change, which says by whom. A fork gets messages of its own first:
    what it shares may be another when they come back.
    """
    session = lock_session(session)
    count = session.message_count
    detach_forks_into(session.id)
    detach(session.id)
    session.refresh_from_db()
    change = keep_cleared(session, by) if count else None
    _delete_messages(session)
    session.head = session.fork_point = None
    session.message_count = session.hidden_tokens = 0
    session.updated_at = now()
    session.save(
        update_fields=[
            "head",
            "fork_point",
            "message_count",
            "hidden_tokens",
            "updated_at",
        ]
    )
    note_success(session)
    if change:
        finish(change, session, count, change.first)
    tell_cleared(session)
    return count


@transaction.atomic
def delete_session(*, session: Session) -> None:
    """
    Delete a session with all that is in it; its usage stays in the ledger.

    Forks of it keep their messages, and sessions below it lose their parent.
    """
    session = lock_session(session)
    _delete_messages(session)
    search.remove_session(session.id)
    tell_deleting(session)
    session.delete()


def _delete_messages(session: Session) -> None:
    detach_forks_into(session.id)
    Compaction.objects.filter(session=session).delete()
    session.labels.all().delete()
    # Those that a fork shares, too.
    session.usage_rows.exclude(message=None).update(message=None)
    search.remove_messages_of(session.id)
    Session.objects.filter(id=session.id).update(head=None, fork_point=None)
    sql.execute(DELETE_MESSAGES, session=session.id)


def make_session(*, agent: Agent, key: str | None = None, **fields: Any) -> Session:
    """
    Make an empty session, in the place of one whose time to live has ended.

    One in the trash stays there, and gets an id of its own.

    :raises SessionExists: if the agent has a living session with that key
    """
    for gone in Session.objects.filter(agent=agent, key=key).gone():
        if gone.trashed_at:
            Session.objects.filter(id=gone.id).update(key=str(uuid7()))
        else:
            delete_session(session=gone)
    return create_session(agent=agent, key=key, **fields)
