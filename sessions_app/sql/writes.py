"""The statements of the hot path: what an append runs, in this order."""

from __future__ import annotations

from typing import NamedTuple

# The session that is written to; lock it. Parameters: session.
SESSION = """
SELECT
    session.id, session.head_id, session.fork_point_id, session.next_seq,
    session.hidden_tokens,
    coalesce(session.compact_after, (
        SELECT agent.compact_after
        FROM sessions_app_agent agent
        WHERE agent.id = session.agent_id
    )),
    session.compaction_tried
FROM sessions_app_session session
WHERE session.id = %(session)s
"""


class SessionRow(NamedTuple):
    """A session as ``SESSION`` reads it."""

    id: int
    head_id: int | None
    fork_point_id: int | None
    next_seq: int
    hidden_tokens: int
    compact_after: int | None
    compaction_tried: int | None


INSERT_MESSAGE = """
INSERT INTO sessions_app_message (
    id, session_id, uid, parent_id, skip, depth, role, tokens, path_tokens, seq,
    created_at, body
) VALUES (
    %(id)s, %(session)s, %(uid)s, %(parent)s, %(skip)s, %(depth)s, %(role)s,
    %(tokens)s, %(path_tokens)s, %(seq)s, %(created_at)s, %(body)s
)
"""

MOVE_HEAD = """
UPDATE sessions_app_session
SET head_id = %(head)s,
    next_seq = next_seq + %(count)s,
    message_count = message_count + %(count)s,
    hidden_tokens = %(hidden_tokens)s,
    updated_at = %(now)s
WHERE id = %(session)s
"""

# Where a session stands, for a reply to a batch that changed nothing.
STANDING = """
SELECT head.uid, head.path_tokens - session.hidden_tokens
FROM sessions_app_session session
JOIN sessions_app_message head ON head.id = session.head_id
WHERE session.id = %(session)s
"""
