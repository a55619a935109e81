"""The end of a history, as much as fits (../../../../spec/sessions.md, section 10.3)."""

from __future__ import annotations

from context_app.services.skills import reclaimed
from memoryhub.facade.storage import RecentHistory
from sessions_app import sql
from sessions_app.messages import parse_body
from sessions_app.models import Session
from sessions_app.services.forest.history import read_history

# Sizes on a path, from the leaf up. Parameters: leaf.
SIZES = """
WITH RECURSIVE path (id, parent_id) AS (
    SELECT id, parent_id FROM sessions_app_message WHERE id = %(leaf)s
    UNION ALL
    SELECT message.id, message.parent_id
    FROM path
    JOIN sessions_app_message message ON message.id = path.parent_id
)
SELECT message.uid, octet_length(message.body)
FROM path
JOIN sessions_app_message message ON message.id = path.id
ORDER BY message.id DESC
"""


def recent_history(session: Session, max_bytes: int, min_recent: int) -> RecentHistory:
    """
    Return the newest messages of at most so many bytes, but at least so many of them.

    Only they are read. A summary that reaches further back than they do is whole.
    """
    head = session.head
    if head is None:
        return RecentHistory([], truncated=False, total_content_bytes=0)
    sizes = sql.rows(SIZES, leaf=head.id)
    kept, used = 0, 0
    for _, size in sizes:
        if kept >= max(1, min_recent) and used + size > max_bytes:
            break
        kept, used = kept + 1, used + size
    truncated = kept < len(sizes)
    above = sizes[kept][0] if truncated else None
    history = read_history(session, leaf=head.uid, after=above)
    return RecentHistory(
        list(map(parse_body, reclaimed(history))),
        truncated,
        sum(size for _, size in sizes),
    )
