"""Events that are many: messages written and calls made, added up by the minute."""

from __future__ import annotations

from datetime import datetime

from sessions_app import sql
from sessions_app.models import ApiKey, Message, Session
from sessions_app.models.fields import from_millis, to_millis
from sessions_app.services.timeline.events import Event

ENDLESS = 2**62

# A session's own messages by the minute and their role. Parameters: session, before
# (milliseconds), limit.
WRITTEN = """
SELECT created_at / 60000, role, count(*), sum(tokens), max(id), max(created_at)
FROM sessions_app_message
WHERE session_id = %(session)s
GROUP BY created_at / 60000, role
HAVING max(created_at) < %(before)s
ORDER BY 6 DESC
LIMIT %(limit)s
"""

# Calls by the minute, what they were for, their model and their key. Parameters: as
# above.
CALLED = """
SELECT created_at / 60000, purpose, model, key_id, count(*), sum(cost_nanos),
    count(*) - count(cost_nanos), max(id), max(created_at)
FROM sessions_app_usage
WHERE session_id = %(session)s
GROUP BY created_at / 60000, purpose, model, key_id
HAVING max(created_at) < %(before)s
ORDER BY 9 DESC
LIMIT %(limit)s
"""


def of_messages(session: Session, before: datetime | None, limit: int) -> list[Event]:
    rows = sql.rows(WRITTEN, session=session.id, before=_millis(before), limit=limit)
    newest = [row[4] for row in rows]
    spots = {
        id_: (uid, depth)
        for id_, uid, depth in Message.objects.filter(id__in=newest).values_list(
            "id", "uid", "depth"
        )
    }
    events = []
    for minute, role, count, tokens, id_, at in rows:
        uid, depth = spots.get(id_, ("", 0))
        events.append(
            Event(
                from_millis(at),
                "messages",
                f"written-{minute}-{role}",
                f"{count:,} {role} message{'' if count == 1 else 's'} written",
                detail=f"up to #{depth + 1}, {int(tokens):,} tokens",
                about=("message", uid),
            )
        )
    return events


def of_calls(session: Session, before: datetime | None, limit: int) -> list[Event]:
    rows = sql.rows(CALLED, session=session.id, before=_millis(before), limit=limit)
    keys = {
        key.id: f"key {key.prefix}"
        for key in ApiKey.objects.filter(id__in={row[3] for row in rows} - {None})
    }
    events = []
    for minute, purpose, model, key, count, cost, unpriced, _, at in rows:
        noun = f"{purpose} call{'' if count == 1 else 's'}"
        said = f"{count:,} {noun}" + (f" of {model}" if model else "")
        events.append(
            Event(
                from_millis(at),
                "calls",
                f"called-{minute}-{purpose}-{model}-{key}",
                said,
                who=keys.get(key, ""),
                nanos=None if unpriced == count else int(cost),
                about=("usage", ""),
            )
        )
    return events


def _millis(before: datetime | None) -> int:
    return ENDLESS if before is None else to_millis(before)
