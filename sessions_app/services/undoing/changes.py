"""What was done to a session's messages, and undoing it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from sessions_app.errors import NotFound
from sessions_app.messages import Draft, parse_body, search_text
from sessions_app.models import KeptMessage, MessageChange, Session
from sessions_app.services.forest.finding import Tree, find
from sessions_app.services.forest.keeping import LONGEST
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.undoing.restoring import UndoConflict, restore
from sessions_app.services.writing.editing import write_over


def changes_of(session: Tree) -> QuerySet[MessageChange]:
    """Return what was done to a session's messages, and is not forgotten, newest first."""
    return MessageChange.objects.filter(session=session.id).order_by("-id")


def last_change(*, session: Session, by: str) -> MessageChange | None:
    """Return the newest change that somebody made, to offer its undoing."""
    return changes_of(session).filter(by=by[:LONGEST], undone_at=None).first()


def versions_of(session: Tree, uid: str) -> QuerySet[KeptMessage]:
    """
    Return what a message was before each change to it, newest first.

    :raises NotFound: if the session has no such message, and had none
    """
    found = (
        KeptMessage.objects.filter(change__session=session.id, uid=uid)
        .exclude(what=KeptMessage.What.MOVED)
        .select_related("change")
        .order_by("-id")
    )
    if not found.exists() and find(session, uid) is None:
        raise NotFound(f"No message {uid!r} in this session")
    return found


@transaction.atomic
def undo_change(*, session: Session, change: int, by: str = "") -> MessageChange:
    """
    Undo a change of a session's messages.

    Of an edit the former text is put back, which is an edit again. What was deleted
    comes back where it was.

    :raises NotFound: if there is no such change, or it is forgotten
    :raises UndoConflict: if it was undone, or what came after stands in the way
    """
    session = lock_session(session)
    found = changes_of(session).filter(id=change).first()
    if found is None:
        raise NotFound(f"No change {change} of this session: its time may be over")
    if found.undone_at:
        raise UndoConflict("This was undone already")
    if found.action == MessageChange.Action.EDIT:
        _write_back(session, found, by)
    else:
        restore(session, found)
    found.undone_at, found.undone_by = now(), by[:LONGEST]
    found.save(update_fields=["undone_at", "undone_by"])
    return found


@transaction.atomic
def forget_changes(*, session: Session) -> int:
    """Forget what a session's messages were before, and return how many changes."""
    session = lock_session(session)
    changes = MessageChange.objects.filter(session=session)
    count = changes.count()
    changes.delete()
    return count


def _write_back(session: Session, change: MessageChange, by: str) -> None:
    kept = change.messages.get()
    message = session.messages.filter(id=kept.ref).first()
    if message is None:
        raise UndoConflict(
            f"Message {kept.uid!r} is gone: undo its deletion first", id=kept.uid
        )
    draft = Draft(
        uid=kept.uid,
        role=kept.role,
        body=kept.body,
        tokens=kept.tokens,
        text=search_text(parse_body(kept.body)),
    )
    write_over(session, message, draft, by)
