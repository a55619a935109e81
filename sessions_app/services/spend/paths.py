"""What the calls along a path have cost, from its root to its leaf."""

from __future__ import annotations

from dataclasses import dataclass

from sessions_app import sql
from sessions_app.models import Session
from sessions_app.services.forest.finding import get_place

# Parameters: session, leaf, width (messages in a stretch).
ALONG_PATH = """
WITH RECURSIVE path (id, parent_id, session_id, depth) AS (
    SELECT id, parent_id, session_id, depth
    FROM sessions_app_message WHERE id = %(leaf)s
    UNION ALL
    SELECT message.id, message.parent_id, message.session_id, message.depth
    FROM path
    JOIN sessions_app_message message ON message.id = path.parent_id
)
SELECT path.depth / %(width)s, count(*), sum(usage.cost_nanos)
FROM path
JOIN sessions_app_usage usage ON usage.message_id = path.id
WHERE usage.session_id = path.session_id OR usage.session_id = %(session)s
GROUP BY path.depth / %(width)s
"""

STRETCHES = 60


@dataclass(frozen=True, slots=True)
class Stretch:
    """The messages numbered ``first`` to ``last`` on a path, and what they cost."""

    first: int
    last: int
    calls: int
    cost_nanos: int


def spent_along(*, session: Session, leaf: str | None = None) -> list[Stretch]:
    """
    Return what the calls on a path cost, in at most 60 stretches of equal length.

    :raises NotFound: if the session has no message ``leaf``
    """
    if leaf is None and session.head_id is None:
        return []
    place = get_place(session, leaf) if leaf is not None else None
    head = session.head
    depth = place.depth if place else head.depth if head else 0
    end = place.id if place else session.head_id
    length = depth + 1
    width = -(-length // STRETCHES)
    rows = sql.rows(ALONG_PATH, session=session.id, leaf=end, width=width)
    found = {number: (calls, int(cost or 0)) for number, calls, cost in rows}
    return [
        Stretch(
            first=number * width + 1,
            last=min((number + 1) * width, length),
            calls=found.get(number, (0, 0))[0],
            cost_nanos=found.get(number, (0, 0))[1],
        )
        for number in range(-(-length // width))
    ]
