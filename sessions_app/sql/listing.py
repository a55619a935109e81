"""
What the rows of a list of sessions show beside their columns.

The primary keys of the rows are put in as a list of parameters.
"""

from __future__ import annotations

# The first input on the path to each head: what a user said first in the session that
# the path begins in, else the root. Along the skip links: few steps (see spine.py).
FIRST_INPUTS = """
WITH RECURSIVE climb (session_id, id, above, depth) AS (
    SELECT session.id, head.id, COALESCE(head.skip, head.parent_id), head.depth
    FROM sessions_app_session session
    JOIN sessions_app_message head ON head.id = session.head_id
    WHERE session.id IN ({})
    UNION ALL
    SELECT climb.session_id, message.id, COALESCE(message.skip, message.parent_id),
        message.depth
    FROM climb
    JOIN sessions_app_message message ON message.id = climb.above
)
SELECT climb.session_id, COALESCE((
    SELECT input.id
    FROM sessions_app_message input
    WHERE input.session_id = root.session_id
        AND input.seq BETWEEN root.seq AND root.seq + 20
        AND input.role = 'user'
    ORDER BY input.seq
    LIMIT 1
), root.id)
FROM climb
JOIN sessions_app_message root ON root.id = climb.id
WHERE climb.depth = 0
"""

# How many leaves each tree has: its own, and a fork's point if nothing follows it.
LEAF_COUNTS = """
SELECT session.id, (
    SELECT count(*)
    FROM sessions_app_message message
    WHERE message.session_id = session.id
        AND NOT EXISTS (
            SELECT 1
            FROM sessions_app_message reply
            WHERE reply.parent_id = message.id AND reply.session_id = session.id
        )
) + CASE WHEN session.fork_point_id IS NOT NULL AND NOT EXISTS (
    SELECT 1
    FROM sessions_app_message reply
    WHERE reply.parent_id = session.fork_point_id AND reply.session_id = session.id
) THEN 1 ELSE 0 END
FROM sessions_app_session session
WHERE session.id IN ({})
"""

# How many living sessions stand right below each, counted up to a bound. Parameters: now, bound.
CHILD_COUNTS = """
SELECT session.id, (
    SELECT count(*) FROM (
        SELECT 1
        FROM sessions_app_session child
        WHERE child.parent_session_id = session.id
            AND child.trashed_at IS NULL
            AND (child.expires_at IS NULL OR child.expires_at > %(now)s)
        LIMIT %(bound)s
    ) children
)
FROM sessions_app_session session
WHERE session.id IN ({})
"""

# The living sessions below some, with how far below. Parameters: now, limit.
BELOW = """
WITH RECURSIVE below (id, parent_id, level) AS (
    SELECT session.id, session.parent_session_id, 0
    FROM sessions_app_session session
    WHERE session.id IN ({})
    UNION ALL
    SELECT child.id, child.parent_session_id, below.level + 1
    FROM below
    JOIN sessions_app_session child ON child.parent_session_id = below.id
    WHERE child.trashed_at IS NULL
        AND (child.expires_at IS NULL OR child.expires_at > %(now)s)
        AND below.level < 50
)
SELECT id, parent_id, level FROM below WHERE level > 0 LIMIT %(limit)s
"""
