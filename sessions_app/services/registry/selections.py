"""What an operator does to several sessions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.timezone import now

from sessions_app.errors import Invalid
from sessions_app.models import Message, Session
from sessions_app.models.sessions import SessionQuerySet
from sessions_app.services.registry.sessions import delete_session

LONGEST_TAG = 50
MOST_TAGS = 20
# Under it the tags of a session stand in its metadata, as a list.
TAGS = "tags"


@dataclass(frozen=True, slots=True)
class Weight:
    """What a selection comes to, to be said before it goes."""

    sessions: int
    messages: int


def weigh(*, pks: Sequence[int]) -> Weight:
    """Count sessions, and the messages of their own: what a fork shares stays."""
    chosen = list(_unexpired(pks).values_list("pk", flat=True))
    messages = Message.objects.filter(session__in=chosen).count()
    return Weight(len(chosen), messages)


def archive_sessions(*, pks: Sequence[int], archived: bool) -> list[int]:
    """Archive sessions, or take them back; return those that were not so before."""
    moment = now() if archived else None
    chosen = _unexpired(pks).filter(trashed_at=None)
    return _mark(chosen.filter(archived_at__isnull=archived), archived_at=moment)


def trash_sessions(*, pks: Sequence[int], trashed: bool) -> list[int]:
    """
    Put sessions into the trash, or take them out; return those that were not so before.

    In the trash nothing finds or changes them, but forks of them go on.
    """
    moment = now() if trashed else None
    return _mark(_unexpired(pks).filter(trashed_at__isnull=trashed), trashed_at=moment)


def delete_trashed(*, pks: Sequence[int]) -> int:
    """Delete sessions for ever, those of them that are in the trash; return how many."""
    # Forks first, so that nothing is copied for one that goes as well.
    found = Session.objects.filter(pk__in=pks, trashed_at__isnull=False)
    newest_first = list(found.order_by("-id").values_list("pk", flat=True))
    return sum(_delete_trashed(pk) for pk in newest_first)


@transaction.atomic
def _delete_trashed(pk: int) -> bool:
    """Delete a session, unless it was restored or deleted since it was found."""
    session = _locked(Session.objects.filter(pk=pk, trashed_at__isnull=False)).first()
    if session is None:
        return False
    delete_session(session=session)
    return True


@transaction.atomic
def tag_sessions(*, pks: Sequence[int], tag: str, tagged: bool) -> list[int]:
    """
    Give sessions a tag, or take it from them; return those that were not so before.

    :raises Invalid: if it is empty or too long, or one would have too many
    """
    tag = " ".join(tag.split())
    if not tag or len(tag) > LONGEST_TAG:
        raise Invalid(f"A tag has 1 to {LONGEST_TAG} characters", field="tag")
    changed = []
    for session in _locked(_unexpired(pks).filter(trashed_at=None)):
        tags = tags_of(session)
        if (tag in tags) == tagged:
            continue
        tags = [*tags, tag] if tagged else [each for each in tags if each != tag]
        if len(tags) > MOST_TAGS:
            raise Invalid(f"A session has at most {MOST_TAGS} tags", field="tag")
        session.metadata = {**session.metadata, TAGS: tags}
        session.save(update_fields=["metadata"])
        changed.append(session.pk)
    return changed


def tags_of(session: Session) -> list[str]:
    """Return the tags in a session's metadata, which may hold anything."""
    tags = session.metadata.get(TAGS)
    return (
        [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    )


def _unexpired(pks: Sequence[int]) -> SessionQuerySet:
    return Session.objects.filter(pk__in=pks).unexpired()


def _locked(sessions: SessionQuerySet) -> SessionQuerySet:
    return sessions.select_for_update(of=("self",)).order_by("-id")


@transaction.atomic
def _mark(sessions: SessionQuerySet, **fields: object) -> list[int]:
    """Change a field, and not when the sessions were last active."""
    pks = [session.pk for session in _locked(sessions).only("pk")]
    Session.objects.filter(pk__in=pks).update(**fields)
    return pks
