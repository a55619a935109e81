"""Messages beneath a compaction, or at a number of a path, in the order of the path."""

from __future__ import annotations

# Messages from one of a path down to another, from a depth on. Ids are walked first, so
# that a page of a long stretch does not carry all its texts along. Parameters: first,
# last, start, limit.
ORIGINALS = """
WITH RECURSIVE covered (id, parent_id) AS (
    SELECT id, parent_id FROM sessions_app_message WHERE id = %(last)s
    UNION ALL
    SELECT message.id, message.parent_id
    FROM covered
    JOIN sessions_app_message message ON message.id = covered.parent_id
    WHERE covered.id > %(first)s
)
SELECT
    message.uid, message.depth, message.role, message.tokens, message.created_at,
    message.body
FROM covered
JOIN sessions_app_message message ON message.id = covered.id
WHERE message.depth >= %(start)s
ORDER BY message.depth
LIMIT %(limit)s
"""

# The message at a depth of the path to a leaf, along the skip links that do not lead
# past it. Parameters: leaf, depth.
AT_DEPTH = """
WITH RECURSIVE climb (id, parent_id, skip, depth) AS (
    SELECT id, parent_id, skip, depth FROM sessions_app_message WHERE id = %(leaf)s
    UNION ALL
    SELECT message.id, message.parent_id, message.skip, message.depth
    FROM climb
    LEFT JOIN sessions_app_message vertebra ON vertebra.id = climb.skip
    JOIN sessions_app_message message
        ON message.id = CASE WHEN vertebra.depth >= %(depth)s
            THEN climb.skip ELSE climb.parent_id END
    WHERE climb.depth > %(depth)s
)
SELECT message.uid
FROM climb
JOIN sessions_app_message message ON message.id = climb.id
WHERE climb.depth = %(depth)s
"""
