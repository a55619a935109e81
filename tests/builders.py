"""State for tests, built as a user builds it: through the services."""

from __future__ import annotations

from typing import Any

import orjson
from msgspec import UNSET, UnsetType

from sessions_app.messages import Draft, read_message
from sessions_app.models import Compaction, Message, Session
from sessions_app.services.compaction.overlays import add_compaction
from sessions_app.services.forest.history import read_history
from sessions_app.services.writing.appending import Appended, append_messages


def draft(
    text: str = "", uid: str | None = None, role: str = "user", **fields: Any
) -> Draft:
    """Return a message that is ready to be written, with one part of text."""
    message = {"role": role, "parts": [{"type": "text", "text": text}], **fields}
    if uid is not None:
        message = {"id": uid, **message}
    return read_message(orjson.dumps(message), "message")


def append(session: Session, *drafts: Draft, **options: Any) -> Appended:
    return append_messages(session_id=session.id, drafts=drafts, **options)


def say(
    session: Session,
    text: str,
    *,
    parent: str | None | UnsetType = UNSET,
    uid: str | None = None,
    **fields: Any,
) -> Message:
    """Append a message, by default after the head; its text is its id unless given."""
    uid = uid or text
    append(session, draft(text, uid, **fields), parent=parent)
    return session.messages.get(uid=uid)


def talk(session: Session, texts: str, **options: Any) -> None:
    """Append a message for each word of a text, in one batch; the words are the ids."""
    append(session, *(draft(word, word) for word in texts.split()), **options)


def compact(
    session: Session, first: str, last: str, summary: str = "S", **options: Any
) -> Compaction:
    return add_compaction(
        session=session, first=first, last=last, summary=summary, **options
    )


def fresh(session: Session) -> Session:
    """Return a session as the database has it now."""
    return Session.objects.get(id=session.id)


def seen(session: Session, leaf: str | None = None, **options: Any) -> str:
    """Return the ids of a history with spaces between; a summary S is C[S]."""
    steps = read_history(fresh(session), leaf=leaf, **options).steps
    return " ".join(
        f"C[{step.compaction.summary}]" if step.compaction else uid_of(step.body)
        for step in steps
    )


def uid_of(body: str) -> str:
    uid: str = orjson.loads(body)["id"]
    return uid


def head(session: Session) -> str | None:
    """Return the id of a session's head."""
    message = fresh(session).head
    return message.uid if message else None


def hidden_tokens(session: Session) -> int:
    """Return what compactions save on the path to the head, as the session knows it."""
    session = fresh(session)
    assert session.head
    assert counted_tokens(session) == session.head.path_tokens - session.hidden_tokens
    return session.hidden_tokens


def counted_tokens(session: Session) -> int:
    """Return the tokens of what is seen of the path to the head, counted one by one."""
    return sum(
        step.compaction.tokens_after
        if step.compaction
        else Message.objects.get(id=step.message).tokens
        for step in read_history(fresh(session)).steps
    )


def context_tokens(session: Session, leaf: str | None = None) -> int:
    return read_history(fresh(session), leaf=leaf).context_tokens
