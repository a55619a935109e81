"""Summaries laid over stretches of a path: adding, switching and mending them."""

from __future__ import annotations

import hashlib

from django.db import transaction
from django.utils.timezone import now
from uuid_utils.compat import uuid7

from sessions_app.errors import Conflict, Invalid, NotFound
from sessions_app.messages import RESERVED_PREFIX, summary_tokens
from sessions_app.models import Compaction, Message, Session
from sessions_app.services.compaction.outcomes import note_success
from sessions_app.services.forest.finding import Found, find, find_place, is_on_path
from sessions_app.services.forest.followers import tell_compacted
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.forest.totals import (
    active_on_path,
    mend_hidden_tokens,
    range_tokens,
)

Ends = tuple[Message, Message]


class BadRange(Invalid):
    code = "bad_range"


class Overlap(Conflict):
    code = "compaction_overlap"


class StalePlan(Conflict):
    code = "stale_plan"


@transaction.atomic
def add_compaction(
    *,
    session: Session,
    summary: str,
    first: str,
    last: str,
    planned_at: str | None = None,
    method: str = "client",
    model: str = "",
    cost_nanos: int | None = None,
    created_by: str = "",
    state: str = Compaction.State.ACTIVE,
) -> Compaction:
    """
    Cover the messages from ``first`` to ``last``, both included, with a summary.

    The id of an older summary stands for all that it covers. ``planned_at`` is the head
    that the caller worked from: if the session has gone another way since, its summary
    no longer fits.

    :raises Invalid: if the summary says nothing
    :raises BadRange: if the ends are not on one path in order
    :raises Overlap: if an active compaction of the path is partly covered, or covers all
    :raises StalePlan: if ``planned_at`` is not on the path to the head any more
    """
    check_summary(summary)
    session = lock_session(session)
    ends = _ends(session, first, last)
    _check_plan(session, planned_at)
    if state == Compaction.State.ACTIVE:
        _check_overlaps(session, ends)
    compaction = Compaction.objects.create(
        session=session,
        uid=str(uuid7()),
        first=ends[0],
        last=ends[1],
        summary=summary,
        state=state,
        tokens_before=range_tokens(*ends),
        tokens_after=summary_tokens(summary),
        method=method,
        model=model,
        cost_nanos=cost_nanos,
        created_by=created_by,
    )
    _touch(session)
    if state == Compaction.State.ACTIVE:
        note_success(session)
    tell_compacted(session)
    return compaction


@transaction.atomic
def update_compaction(
    *,
    session: Session,
    uid: str,
    state: str | None = None,
    summary: str | None = None,
    expected: str | None = None,
) -> Compaction:
    """
    Switch a compaction on or off, or rewrite its summary.

    ``expected`` is the digest of the summary that the caller has read.

    :raises Invalid: if the summary says nothing
    :raises NotFound: if the session has no such compaction
    :raises Conflict: if the summary is not the expected one any more
    :raises Overlap: if it cannot be switched on beside those that are
    """
    session = lock_session(session)
    compaction = get_compaction(session, uid)
    if expected is not None and expected != digest(compaction.summary):
        raise Conflict("Somebody has changed the summary since you read it")
    if summary is not None:
        check_summary(summary)
        compaction.summary = summary
        compaction.tokens_after = summary_tokens(summary)
    if state is not None and state != compaction.state:
        if state == Compaction.State.ACTIVE:
            _check_overlaps(session, (compaction.first, compaction.last), compaction)
        compaction.state = state
    compaction.save(update_fields=["summary", "tokens_after", "state"])
    _touch(session)
    return compaction


def check_summary(summary: str) -> None:
    """
    :raises Invalid: if it says nothing: some models take no empty text
    """
    if not summary.strip():
        raise Invalid("The summary is empty", field="summary")


def digest(summary: str) -> str:
    """Return what tells a summary from another."""
    return hashlib.sha256(summary.encode("utf-8", "surrogatepass")).hexdigest()


@transaction.atomic
def delete_compaction(*, session: Session, uid: str) -> None:
    """
    Take a compaction away; what it covered is seen again.

    :raises NotFound: if the session has no such compaction
    """
    session = lock_session(session)
    get_compaction(session, uid).delete()
    _touch(session)


def get_compaction(session: Session, uid: str) -> Compaction:
    """
    :raises NotFound: if the session has no such compaction
    """
    rows = Compaction.objects.select_related("first", "last")
    # PostgreSQL takes no NUL in a text.
    uid = uid.removeprefix(RESERVED_PREFIX).replace("\0", "\ufffd")
    found = (
        rows.defer("first__body", "last__body").filter(session=session, uid=uid).first()
    )
    if found is None:
        raise NotFound(f"No compaction {uid!r} in this session")
    return found


def _ends(session: Session, first: str, last: str) -> Ends:
    found = [_find_first(session, first), find_place(session, last)]
    for uid, each in zip((first, last), found, strict=True):
        if each is None:
            raise BadRange(f"The session has no message {uid!r}", id=uid)
    start, end = (each.id for each in found if each)
    if not is_on_path(start, end):
        raise BadRange(f"{first!r} is not above {last!r} on one path")
    messages = Message.objects.defer("body").in_bulk([start, end])
    return messages[start], messages[end]


def _find_first(session: Session, uid: str) -> Found | None:
    if not uid.startswith(RESERVED_PREFIX):
        return find(session, uid)
    covers = Compaction.objects.filter(
        session=session, uid=uid.removeprefix(RESERVED_PREFIX)
    )
    start = covers.values_list("first__uid", flat=True).first()
    return find(session, start) if start is not None else None


def _check_plan(session: Session, planned_at: str | None) -> None:
    if planned_at is None:
        return
    place = find_place(session, planned_at)
    head = session.head_id
    if place is None or head is None or not is_on_path(place.id, head):
        raise StalePlan(
            "The session has left the branch that the plan was made on: plan again",
            planned_at=planned_at,
        )


def _check_overlaps(
    session: Session, ends: Ends, itself: Compaction | None = None
) -> None:
    """Refuse a range unless it is apart from, or holds, each active one of the path."""
    first, last = ends[0].id, ends[1].id
    for other in active_on_path(session.id, _leaf(session, last)):
        apart = other.last_id < first or last < other.first_id
        holds = first <= other.first_id and other.last_id <= last
        # Of two that end together the newer is read; so an older one that is
        # switched on again must not end with one inside it.
        shadowed = itself is not None and other.last_id == last and itself.id < other.id
        if not apart and (not holds or shadowed):
            raise Overlap(
                f"The range overlaps with compaction {other.uid}: disable that first, "
                "or choose a range that holds all of it",
                compaction=other.uid,
            )


def _leaf(session: Session, last: int) -> int:
    """Return the leaf of the path in question: the head's, if the range is on it."""
    head = session.head_id
    return head if head is not None and is_on_path(last, head) else last


def _touch(session: Session) -> None:
    mend_hidden_tokens(session)
    Session.objects.filter(id=session.id).update(updated_at=now())
