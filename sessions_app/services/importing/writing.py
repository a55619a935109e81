"""Storing a conversation, as far as it is not there yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.utils.timezone import now

from sessions_app.messages import check_name
from sessions_app.models import Agent, Message, Session
from sessions_app.models.fields import from_millis
from sessions_app.services.belongings import restore_all
from sessions_app.services.forest.creating import check_key_is_free, create_session
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.importing.conversations import (
    Conversation,
    ImportedMessage,
    Problem,
)
from sessions_app.services.importing.extras import (
    add_compactions,
    add_labels,
    count_usage,
)
from sessions_app.services.importing.ledger import add_ledger
from sessions_app.services.importing.reports import Counts
from sessions_app.services.registry.agents import get_or_create_agent
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.writing.appending import append_messages

# How many messages are appended at once.
BATCH = 500


@transaction.atomic
def write_conversation(
    conversation: Conversation,
    *,
    format_name: str,
    agent_name: str,
    dry_run: bool = False,
) -> tuple[Counts, list[Problem]]:
    """
    Store a conversation, all or nothing, and return what was new and what did not fit.

    A session that was imported before gets only what it lacks, so a second time changes
    nothing. What was changed here stays, and what was deleted here comes back. The head
    follows the file, unless the session was continued here. A dry run does all the same,
    and takes it back.

    :raises Invalid: if it cannot be a session
    """
    agent = get_or_create_agent(agent_name)
    session, is_new = _get_or_create_session(agent, format_name, conversation)
    counts = Counts(
        sessions=1,
        new_sessions=int(is_new),
        messages=len(conversation.messages),
        new_messages=_append_missing(session, conversation),
        branch_points=conversation.branch_points,
        settings=conversation.settings,
    )
    problems = add_compactions(session, conversation, format_name, counts)
    add_labels(session, conversation, counts)
    count_usage(session, conversation, counts)
    add_ledger(session, conversation, counts)
    reasons = restore_all(session, conversation.belongings, is_new=is_new)
    problems += [Problem(conversation.line, reason) for reason in reasons]
    _finish(session, conversation, counts)
    if dry_run:
        transaction.set_rollback(rollback=True)
    return counts, problems


def _get_or_create_session(
    agent: Agent, format_name: str, conversation: Conversation
) -> tuple[Session, bool]:
    key = conversation.key_in(format_name)
    check_name(key, "id", 200)
    if found := Session.objects.of(agent).living().filter(key=key).first():
        return lock_session(found), False
    check_key_is_free(agent.pk, key)
    session = create_session(
        agent=agent,
        key=key,
        name=conversation.name,
        model=conversation.model,
        source=conversation.source,
        metadata=dict(conversation.metadata),
        parent_session=_parent(agent, conversation),
    )
    return session, True


def _parent(agent: Agent, conversation: Conversation) -> Session | None:
    if conversation.parent_session is None:
        return None
    return Session.objects.filter(agent=agent, key=conversation.parent_session).first()


def _append_missing(session: Session, conversation: Conversation) -> int:
    """Append what the session lacks, put the head where it belongs, and return how many."""
    known = set(Message.objects.filter(session=session).values_list("uid", flat=True))
    head = session.head.uid if session.head else None
    count = 0
    for chain in _chains(conversation, known):
        drafts = [message.draft for message in chain]
        appended = append_messages(
            session_id=session.id, drafts=drafts, parent=chain[0].parent
        )
        count += sum(1 for receipt in appended.receipts if receipt.status == "created")
    if count:
        imported = {message.uid for message in conversation.messages}
        continued = head is not None and head not in imported
        target = head if continued else conversation.head
        if target is not None:
            check_out(session=session, uid=target)
    return count


def _chains(
    conversation: Conversation, known: set[str]
) -> Iterator[list[ImportedMessage]]:
    """Yield the messages that are not known in runs, each following the one before it."""
    chain: list[ImportedMessage] = []
    for message in conversation.messages:
        if message.uid in known:
            continue
        if chain and (message.parent != chain[-1].uid or len(chain) == BATCH):
            yield chain
            chain = []
        chain.append(message)
    if chain:
        yield chain


def _finish(session: Session, conversation: Conversation, counts: Counts) -> None:
    """Date the session by its messages, and keep what the file says of it by now."""
    session.refresh_from_db()
    changes: dict[str, Any] = {}
    metadata = {**session.metadata, **conversation.metadata}
    if metadata != session.metadata:
        changes["metadata"] = metadata
    if counts.new_sessions and conversation.created_at is not None:
        changes["created_at"] = from_millis(conversation.created_at)
    if counts.new_sessions:
        changes.update(conversation.columns)
    if changes or counts.has_news:
        latest = conversation.updated_at or max(
            (m.draft.created_at or 0 for m in conversation.messages), default=0
        )
        is_dated = bool(counts.new_sessions and latest)
        changes["updated_at"] = from_millis(latest) if is_dated else now()
        Session.objects.filter(id=session.id).update(**changes)
