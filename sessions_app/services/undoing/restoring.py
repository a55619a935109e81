"""Putting back what a deletion took, where it was, or saying what stands in the way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.core import serializers
from django.utils.timezone import now

from sessions_app import search, sql
from sessions_app.errors import Conflict
from sessions_app.messages import parse_body, search_text
from sessions_app.models import (
    Compaction,
    KeptCompaction,
    KeptMessage,
    KeptUsage,
    Message,
    MessageChange,
    Session,
)
from sessions_app.services.forest.finding import is_on_path
from sessions_app.services.forest.forks import detach_forks_of
from sessions_app.services.forest.totals import hidden_tokens
from sessions_app.services.writing.deleting import next_head
from sessions_app.sql import changes

# Texts that are indexed at a time.
BATCH = 500


class UndoConflict(Conflict):
    code = "undo_conflict"


class Place(NamedTuple):
    """Where a message goes back to; the root's parent is nothing."""

    parent: int | None = None
    depth: int = 0
    path_tokens: int = 0


def restore(session: Session, change: MessageChange) -> None:
    """
    Undo a deletion, its last step first, and forget what was kept for that.

    The session must be locked. Forks that share what moves back down are detached.

    :raises UndoConflict: if what came after stands in the way
    """
    kept = KeptMessage.objects.filter(change=change)
    steps = kept.order_by("-step").values_list("step", flat=True).distinct()
    for step in list(steps):
        _restore_step(session, change, step)
    _mend(session, change)
    for rows in (KeptMessage, KeptUsage, KeptCompaction):
        rows._default_manager.filter(change=change).delete()


def _restore_step(session: Session, change: MessageChange, step: int) -> None:
    at = {"change": change.id, "step": step}
    kept = KeptMessage.objects.filter(**at).defer("body").order_by("ref")
    top = kept.filter(what=KeptMessage.What.GONE).first()
    assert top is not None  # noqa: S101 (a step takes at least one)
    _check_ids(session, at)
    if change.action == MessageChange.Action.CLEAR:
        sql.execute(
            changes.PUT_BACK,
            session=session.id,
            top=0,
            parent=None,
            deeper=0,
            tokens=0,
            **at,
        )
    else:
        moved = kept.filter(what=KeptMessage.What.MOVED)
        _put_below(session, top, _place(session, top), list(moved), at)
    _restore_rest(session, at)


def _put_below(
    session: Session,
    top: KeptMessage,
    place: Place,
    moved: list[KeptMessage],
    at: dict[str, int],
) -> None:
    """Put a message back at its place, with what was below it."""
    parent = {"parent": place.parent}
    if stray := sql.first(changes.ELSEWHERE, session=session.id, **parent, **at):
        raise UndoConflict(
            f"Message {stray[0]!r}, which followed {top.uid!r}, is not where the "
            "deletion left it: undo what was done to it first",
            id=stray[0],
        )
    for each in moved:
        detach_forks_of(each.ref)
    depth = place.depth + 1 if place.parent else 0
    sql.execute(
        changes.PUT_BACK,
        session=session.id,
        top=top.ref,
        deeper=depth - top.depth,
        tokens=place.path_tokens + top.tokens - top.path_tokens,
        **parent,
        **at,
    )
    if moved:
        sql.execute(changes.OPEN_GAP, message=top.ref, tokens=top.tokens, **at)


def _check_ids(session: Session, at: dict[str, int]) -> None:
    if taken := sql.first(changes.TAKEN, session=session.id, **at):
        raise UndoConflict(
            f"There is another message {taken[0]!r} in its place by now: delete that "
            "first",
            id=taken[0],
        )


def _place(session: Session, top: KeptMessage) -> Place:
    if top.parent is None:
        return Place()
    found = Message.objects.filter(id=top.parent).values_list(
        "id", "depth", "path_tokens", "session"
    )
    for *place, owner in found:
        point = session.fork_point_id
        if owner == session.id or (point and is_on_path(top.parent, point)):
            return Place(*place)
    gone = KeptMessage.objects.filter(
        change__session=session, ref=top.parent, what=KeptMessage.What.GONE
    ).first()
    name = f"message {gone.uid!r}" if gone else "the message"
    details = {"id": gone.uid, "change": gone.change_id} if gone else {}
    raise UndoConflict(
        f"{top.uid!r} followed {name}, which is gone: undo that deletion first",
        **details,
    )


def _restore_rest(session: Session, at: dict[str, int]) -> None:
    """Put back what belonged to the messages of a step."""
    gone = KeptMessage.objects.filter(**at, what=KeptMessage.What.GONE)
    bodies = gone.order_by("ref").values_list("ref", "body")
    last = 0
    while batch := list(bodies.filter(ref__gt=last)[:BATCH]):
        texts = [(ref, search_text(parse_body(body))) for ref, body in batch]
        search.index(session.id, texts)
        last = batch[-1][0]
    sql.execute(changes.PUT_LABELS_BACK, session=session.id, **at)
    sql.execute(changes.PUT_USAGE_BACK, **at)
    for kept in KeptCompaction.objects.filter(**at).order_by("ref"):
        _restore_compaction(session, kept)


def _restore_compaction(session: Session, kept: KeptCompaction) -> None:
    """Make a compaction again, or move its end back, if nobody has deleted it since."""
    if kept.row:
        found: Iterable[Any] = serializers.deserialize(
            "json", kept.row, ignorenonexistent=True
        )
        for each in found:
            each.object.first_id, each.object.last_id = kept.first, kept.last
            Compaction.objects.bulk_create([each.object])
        return
    ends = {
        f"{end}_id": place
        for end, place in (("first", kept.first), ("last", kept.last))
        if place is not None
    }
    Compaction.objects.filter(session=session, id=kept.ref).update(**ends)


def _mend(session: Session, change: MessageChange) -> None:
    """Count the session anew, and put its head back if nothing was appended since."""
    # A fork that was detached may have been of the session's own.
    session.refresh_from_db()
    change.refresh_from_db()
    is_as_left = (session.head_id, session.next_seq) == (
        change.head_after,
        change.next_seq,
    )
    if is_as_left:
        session.head_id = change.head
    elif session.head_id is None:
        session.head_id = next_head(session)
    session.message_count += change.count
    session.hidden_tokens = hidden_tokens(session.id, session.head_id)
    session.updated_at = now()
    session.save(update_fields=["head", "message_count", "hidden_tokens", "updated_at"])
