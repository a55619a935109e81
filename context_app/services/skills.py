"""
The skills that a session has loaded.

They follow from the messages of a path as it is read, so a restart changes nothing
and each branch has its own. Only what a model called since the last append is noted in
rows, until its messages come.
"""

from __future__ import annotations

import json

from django.db import transaction

from context_app import sql
from context_app.loading import LOAD, UNLOAD, Loads, Reader, Skill, reclaim
from context_app.models import SkillCall
from sessions_app import sql as statements
from sessions_app.messages import parse_body
from sessions_app.models import Session
from sessions_app.services.forest.covers import Cover
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.history import History, read_history
from sessions_app.services.forest.locking import lock_session


def loaded_skills(session: Session, leaf: str | None = None) -> list[Skill]:
    """
    Return what is loaded on the path to a leaf, by default the head, in the order of
    loading, with what was called there and is not appended yet.

    :raises NotFound: if the session sees no message ``leaf``
    """
    loaded = list(find_loads(read_history(session, leaf=leaf)).loaded)
    end = _end(session, leaf)
    calls = SkillCall.objects.filter(session=session.id, head=end)
    for call in calls.order_by("id"):
        skill = Skill(call.label, call.key)
        if skill in loaded:
            loaded.remove(skill)
        if call.loaded:
            loaded.append(skill)
    return loaded


def reclaimed(history: History) -> list[str]:
    """
    Return the bodies of a history, from the root on, without the texts of unloaded skills.

    The stored messages keep them. Bodies that hold none are returned as they are.
    """
    bodies = history.bodies
    loads = find_loads(history)
    changed = {place.message for place in loads.unloaded}
    if not changed:
        return bodies
    # Numbers of any size survive this module's JSON.
    messages = [
        parse_body(body) if number in changed else {}
        for number, body in enumerate(bodies)
    ]
    return [
        json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        if number in changed
        else body
        for number, (body, message) in enumerate(
            zip(bodies, reclaim(messages, loads), strict=True)
        )
    ]


def find_loads(history: History) -> Loads:
    """Read the loads and unloads of a history, those that compactions cover too."""
    reader = Reader()
    if LOAD not in "".join(history.bodies):
        return reader.loads
    for step in history.steps:
        if step.compaction is not None:
            reader.skip()
            if reader.loads.loaded:
                _read_covered(reader, step.compaction)
        elif reader.concerns(step.body):
            reader.read(parse_body(step.body))
        else:
            reader.skip()
    return reader.loads


@transaction.atomic
def note_call(
    session: Session, skill: Skill, *, loaded: bool, leaf: str | None = None
) -> None:
    """Remember a load or an unload until the messages of its turn follow the leaf."""
    session = lock_session(session)
    end = _end(session, leaf)
    SkillCall.objects.filter(session=session).exclude(head=end).delete()
    SkillCall.objects.filter(session=session, label=skill.label, key=skill.key).delete()
    SkillCall.objects.create(
        session=session, head=end, label=skill.label, key=skill.key, loaded=loaded
    )


def forget_calls(session: Session) -> None:
    SkillCall.objects.filter(session=session).delete()


def _end(session: Session, leaf: str | None) -> int:
    """Return the primary key of a leaf, or of the head, which may have moved; 0: none."""
    if leaf is not None:
        return get_place(session, leaf).id
    heads = Session.objects.filter(id=session.id).values_list("head_id", flat=True)
    return heads.first() or 0


def _read_covered(reader: Reader, compaction: Cover) -> None:
    """
    Read what was unloaded in messages that a compaction covers.

    What was loaded there is out of sight, and so not loaded.
    """
    rows = statements.rows(
        sql.BODIES_WITH,
        first=compaction.first_id,
        last=compaction.last_id,
        word=f"%{UNLOAD}%",
    )
    for _, body in rows:
        reader.read_unloads(parse_body(body))
