"""What a session's tree is made of: its own messages, and those it inherits."""

from __future__ import annotations

_COLUMNS = """
    message.id, message.parent_id, message.uid, message.role, message.depth,
    message.seq, message.created_at
"""

# Parameters: message.
NODE = f"""
SELECT {_COLUMNS}
FROM sessions_app_message message
WHERE message.id = %(message)s
"""

# All messages that a session sees, own and inherited. Parameters: session.
NODES = f"""
WITH RECURSIVE inherited (id, parent_id) AS (
    SELECT point.id, point.parent_id
    FROM sessions_app_session session
    JOIN sessions_app_message point ON point.id = session.fork_point_id
    WHERE session.id = %(session)s
    UNION ALL
    SELECT message.id, message.parent_id
    FROM inherited
    JOIN sessions_app_message message ON message.id = inherited.parent_id
)
SELECT {_COLUMNS}
FROM sessions_app_message message
WHERE message.session_id = %(session)s
UNION ALL
SELECT {_COLUMNS}
FROM inherited
JOIN sessions_app_message message ON message.id = inherited.id
"""

# A session's own messages that none of its own follows, newest first. Parameters:
# session, before (a seq), limit.
LEAVES = f"""
SELECT {_COLUMNS}
FROM sessions_app_message message
WHERE message.session_id = %(session)s
    AND message.seq < %(before)s
    AND NOT EXISTS (
        SELECT 1
        FROM sessions_app_message reply
        WHERE reply.parent_id = message.id AND reply.session_id = %(session)s
    )
ORDER BY message.seq DESC
LIMIT %(limit)s
"""

# One row if a message of the session follows another. Parameters: session, message.
REPLY = """
SELECT 1
FROM sessions_app_message
WHERE parent_id = %(message)s AND session_id = %(session)s
LIMIT 1
"""

# What follows a message: of the session's own, and the one it inherits (or null).
# Parameters: session, message, inherited.
CHILDREN = """
SELECT body
FROM sessions_app_message
WHERE parent_id = %(message)s
    AND (session_id = %(session)s OR id = CAST(%(inherited)s AS bigint))
ORDER BY id
"""

# How many of a session's own messages none of its own follows. Parameters: session.
COUNT_LEAVES = """
SELECT count(*)
FROM sessions_app_message message
WHERE message.session_id = %(session)s
    AND NOT EXISTS (
        SELECT 1
        FROM sessions_app_message reply
        WHERE reply.parent_id = message.id AND reply.session_id = %(session)s
    )
"""
