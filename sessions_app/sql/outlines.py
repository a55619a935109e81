"""The shape of a session's tree: who follows whom, and nothing that is long."""

from __future__ import annotations

# All messages of a session that is no fork, in the order of writing. Parameters: session.
OWN = """
SELECT id, parent_id, depth, role
FROM sessions_app_message
WHERE session_id = %(session)s
ORDER BY id
"""

# Those that a fork sees: its own, and the path to its fork point. Parameters: session,
# point.
WITH_INHERITED = """
WITH RECURSIVE inherited (id, parent_id, depth, role) AS (
    SELECT id, parent_id, depth, role
    FROM sessions_app_message
    WHERE id = %(point)s
    UNION ALL
    SELECT message.id, message.parent_id, message.depth, message.role
    FROM inherited
    JOIN sessions_app_message message ON message.id = inherited.parent_id
)
SELECT id, parent_id, depth, role FROM inherited
UNION ALL
SELECT id, parent_id, depth, role
FROM sessions_app_message
WHERE session_id = %(session)s
ORDER BY id
"""
