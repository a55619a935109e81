"""
Up a path, message by message, as a history is read.

Where the walk reaches the last message of an active compaction it goes on above
the first: what is covered costs nothing. Ids are walked first and bodies joined
after, so that a deep path does not carry its texts along.
"""

from __future__ import annotations

# The walk itself. Parameters: session, leaf, floor (ids at or below it are not
# visited; -1 for all), limit.
_WALK = """
WITH RECURSIVE walk (step, message_id, compaction_id, above_id) AS (
    SELECT 0, CAST(NULL AS bigint), CAST(NULL AS bigint), CAST(%(leaf)s AS bigint)
    UNION ALL
    SELECT
        walk.step + 1,
        message.id,
        compaction.id,
        CASE WHEN compaction.id IS NULL THEN message.parent_id ELSE start.parent_id END
    FROM walk
    JOIN sessions_app_message message ON message.id = walk.above_id
    LEFT JOIN sessions_app_compaction compaction ON compaction.id = (
        SELECT max(newest.id)
        FROM sessions_app_compaction newest
        WHERE newest.session_id = %(session)s
            AND newest.last_id = message.id
            AND newest.state = 'active'
    )
    LEFT JOIN sessions_app_message start ON start.id = compaction.first_id
    WHERE walk.step < %(limit)s AND walk.above_id > %(floor)s
)
"""

# The same for a session without active compactions: one look-up a step.
_PLAIN_WALK = """
WITH RECURSIVE walk (step, message_id, above_id) AS (
    SELECT 0, CAST(NULL AS bigint), CAST(%(leaf)s AS bigint)
    UNION ALL
    SELECT walk.step + 1, message.id, message.parent_id
    FROM walk
    JOIN sessions_app_message message ON message.id = walk.above_id
    WHERE walk.step < %(limit)s AND walk.above_id > %(floor)s
)
"""

# What a history needs: a message's body, or the compaction that stands there, which
# has the key of its last message. Keys descend along a walk, as its steps ascend.
_BODIES = """
SELECT
    walk.message_id,
    walk.compaction_id,
    CASE WHEN walk.compaction_id IS NULL THEN message.body END
FROM walk
JOIN sessions_app_message message ON message.id = walk.message_id
"""

_PLAIN_BODIES = """
SELECT walk.message_id, NULL, message.body
FROM walk
JOIN sessions_app_message message ON message.id = walk.message_id
"""

BODIES = _WALK + _BODIES
PLAIN_BODIES = _PLAIN_WALK + _PLAIN_BODIES

# Ids from a message up to its root. Parameters: message.
ANCESTRY = """
WITH RECURSIVE ancestry (id, parent_id, skip) AS (
    SELECT id, parent_id, skip FROM sessions_app_message WHERE id = %(message)s
    UNION ALL
    SELECT message.id, message.parent_id, message.skip
    FROM ancestry
    JOIN sessions_app_message message ON message.id = ancestry.parent_id
)
SELECT id, parent_id, skip FROM ancestry
"""

# The beginning of a query on the ids of a message and all below it. Parameters:
# message.
SUBTREE_IDS = """
WITH RECURSIVE subtree (id) AS (
    SELECT id FROM sessions_app_message WHERE id = %(message)s
    UNION ALL
    SELECT message.id
    FROM subtree
    JOIN sessions_app_message message ON message.parent_id = subtree.id
)
"""
