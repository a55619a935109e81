"""What a page that shows a stretch of a path asks of its messages, all at once."""

from __future__ import annotations

# What is known of messages without their bodies; the list of them is put in as
# parameters.
PLACES = """
SELECT id, uid, parent_id, role, depth, seq, tokens, path_tokens, created_at
FROM sessions_app_message
WHERE id IN ({})
"""

# The ancestor of a message at a depth, or itself. Parameters: message, depth.
ANCESTOR_AT = """
WITH RECURSIVE climb (id, depth, parent_id, skip) AS (
    SELECT id, depth, parent_id, skip
    FROM sessions_app_message
    WHERE id = %(message)s
    UNION ALL
    SELECT message.id, message.depth, message.parent_id, message.skip
    FROM climb
    LEFT JOIN sessions_app_message skipped ON skipped.id = climb.skip
    JOIN sessions_app_message message
        ON message.id = CASE WHEN skipped.depth >= %(depth)s
            THEN skipped.id ELSE climb.parent_id END
    WHERE climb.depth > %(depth)s
)
SELECT id FROM climb WHERE depth = %(depth)s
"""

# What else follows the parents of messages on a path: of the session's own, and of
# the messages given. Both lists are put in as parameters. Parameters: session.
SIBLINGS = """
SELECT id, uid, parent_id
FROM sessions_app_message
WHERE parent_id IN ({parents})
    AND (session_id = %(session)s OR id IN ({messages}))
ORDER BY id
"""

# The roots that a session's own messages have. Parameters: session. (The plus keeps
# SQLite from looking through the roots of all sessions.)
ROOTS = """
SELECT id, uid, parent_id
FROM sessions_app_message
WHERE session_id = %(session)s AND +parent_id IS NULL
ORDER BY id
"""

# A message and all below it that a session sees: its own, and what it inherits.
# Parameters: session, message, point (the fork point, or null). (The plus keeps
# SQLite from looking through the whole session for what follows each.)
_SEEN_BELOW = """
WITH RECURSIVE inherited (id, parent_id) AS (
    SELECT id, parent_id
    FROM sessions_app_message
    WHERE id = CAST(%(point)s AS bigint) AND id >= %(message)s
    UNION ALL
    SELECT message.id, message.parent_id
    FROM inherited
    JOIN sessions_app_message message ON message.id = inherited.parent_id
    WHERE inherited.parent_id >= %(message)s
),
seen (id) AS (
    SELECT id FROM sessions_app_message WHERE id = %(message)s
    UNION
    SELECT id FROM inherited
    UNION
    SELECT message.id
    FROM seen
    JOIN sessions_app_message message
        ON message.parent_id = seen.id AND +message.session_id = %(session)s
)
"""

# The newest of them that nothing follows.
NEWEST_LEAF_BELOW = (
    _SEEN_BELOW
    + """
SELECT message.uid
FROM seen
JOIN sessions_app_message message ON message.id = seen.id
WHERE NOT EXISTS (
    SELECT 1
    FROM sessions_app_message reply
    WHERE reply.parent_id = message.id AND reply.session_id = %(session)s
)
    AND (
        message.id = CAST(%(point)s AS bigint)
        OR message.id NOT IN (SELECT id FROM inherited)
    )
ORDER BY message.seq DESC
LIMIT 1
"""
)

# How many they are, and how many of them nothing of theirs follows.
COUNT_BELOW = (
    _SEEN_BELOW
    + """
SELECT
    count(*),
    count(*) - count(DISTINCT CASE
        WHEN message.id <> %(message)s THEN message.parent_id
    END)
FROM seen
JOIN sessions_app_message message ON message.id = seen.id
"""
)

# The messages below one, without it, with their links, parents first.
LINKS_BELOW = (
    _SEEN_BELOW
    + """
SELECT message.id, message.parent_id, message.skip
FROM seen
JOIN sessions_app_message message ON message.id = seen.id
WHERE message.id <> %(message)s
ORDER BY message.id
"""
)

# All messages that a session sees but for those on the path to its message, own ones
# and inherited, with their links, parents first. Parameters: session, message, point.
LINKS_BESIDE = """
WITH RECURSIVE path (id, parent_id) AS (
    SELECT id, parent_id FROM sessions_app_message WHERE id = %(message)s
    UNION ALL
    SELECT message.id, message.parent_id
    FROM path
    JOIN sessions_app_message message ON message.id = path.parent_id
),
inherited (id, parent_id) AS (
    SELECT id, parent_id FROM sessions_app_message WHERE id = CAST(%(point)s AS bigint)
    UNION ALL
    SELECT message.id, message.parent_id
    FROM inherited
    JOIN sessions_app_message message ON message.id = inherited.parent_id
)
SELECT message.id, message.parent_id, message.skip
FROM sessions_app_message message
WHERE (message.session_id = %(session)s OR message.id IN (SELECT id FROM inherited))
    AND message.id NOT IN (SELECT id FROM path)
ORDER BY message.id
"""
