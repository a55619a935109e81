"""
From a message up to one of its ancestors, in O(log depth) steps.

Ids only get smaller on the way up. So a climb takes the skip link (see spine.py)
unless that leads past its target, else the parent, and stops at the first id
that is not larger: if that is the target, it is an ancestor.
"""

from __future__ import annotations

# The spine of a message: itself, then along its skip links. Parameters: message,
# steps (how many vertebrae beyond the first).
SPINE = """
WITH RECURSIVE spine (step, id, depth, path_tokens, skip) AS (
    SELECT 0, id, depth, path_tokens, skip
    FROM sessions_app_message
    WHERE id = %(message)s
    UNION ALL
    SELECT spine.step + 1, message.id, message.depth, message.path_tokens, message.skip
    FROM spine
    JOIN sessions_app_message message ON message.id = spine.skip
    WHERE spine.step < %(steps)s
)
SELECT id, depth, path_tokens FROM spine ORDER BY step
"""

# One row if a message is an ancestor of another, or the same. Parameters: message,
# descendant.
IS_ON_PATH = """
WITH RECURSIVE climb (id, parent_id, skip) AS (
    SELECT id, parent_id, skip
    FROM sessions_app_message
    WHERE id = %(descendant)s
    UNION ALL
    SELECT message.id, message.parent_id, message.skip
    FROM climb
    JOIN sessions_app_message message
        ON message.id = CASE WHEN climb.skip >= %(message)s
            THEN climb.skip ELSE climb.parent_id END
    WHERE climb.id > %(message)s
)
SELECT id FROM climb WHERE id = %(message)s
"""

# The message below one on the path to another: its child on that path. Parameters:
# message (a strict ancestor), descendant.
CHILD_TOWARDS = """
WITH RECURSIVE climb (id, parent_id, skip) AS (
    SELECT id, parent_id, skip
    FROM sessions_app_message
    WHERE id = %(descendant)s
    UNION ALL
    SELECT message.id, message.parent_id, message.skip
    FROM climb
    JOIN sessions_app_message message
        ON message.id = CASE WHEN climb.skip > %(message)s
            THEN climb.skip ELSE climb.parent_id END
    WHERE climb.parent_id > %(message)s
)
SELECT id FROM climb WHERE parent_id = %(message)s
"""

# Several climbs at once, from one leaf to the many targets of a session's rows.
_CLIMB_TO_MANY = """
    UNION ALL
    SELECT climb.found_id, climb.target, message.id, message.parent_id, message.skip
    FROM climb
    JOIN sessions_app_message message
        ON message.id = CASE WHEN climb.skip >= climb.target
            THEN climb.skip ELSE climb.parent_id END
    WHERE climb.id > climb.target
)
SELECT found_id FROM climb WHERE id = target
"""

# The compactions of a session, active or not, that lie on the path to a leaf.
# Parameters: session, leaf.
COMPACTIONS_ON_PATH = (
    """
WITH RECURSIVE climb (found_id, target, id, parent_id, skip) AS (
    SELECT compaction.id, compaction.last_id, leaf.id, leaf.parent_id, leaf.skip
    FROM sessions_app_compaction compaction
    JOIN sessions_app_message leaf ON leaf.id = %(leaf)s
    WHERE compaction.session_id = %(session)s
"""
    + _CLIMB_TO_MANY
)

# The labels of a session on the path to a leaf. Parameters: session, leaf.
LABELS_ON_PATH = (
    """
WITH RECURSIVE climb (found_id, target, id, parent_id, skip) AS (
    SELECT label.id, label.message_id, leaf.id, leaf.parent_id, leaf.skip
    FROM sessions_app_label label
    JOIN sessions_app_message leaf ON leaf.id = %(leaf)s
    WHERE label.session_id = %(session)s
"""
    + _CLIMB_TO_MANY
)

# The forks whose shared path holds a message: their fork points lie at or below it.
# Parameters: message.
FORKS_SHARING = """
WITH RECURSIVE climb (session_id, id, parent_id, skip) AS (
    SELECT session.id, point.id, point.parent_id, point.skip
    FROM sessions_app_session session
    JOIN sessions_app_message point ON point.id = session.fork_point_id
    WHERE session.fork_point_id >= %(message)s
    UNION ALL
    SELECT climb.session_id, message.id, message.parent_id, message.skip
    FROM climb
    JOIN sessions_app_message message
        ON message.id = CASE WHEN climb.skip >= %(message)s
            THEN climb.skip ELSE climb.parent_id END
    WHERE climb.id > %(message)s
)
SELECT session_id FROM climb WHERE id = %(message)s ORDER BY session_id DESC
"""
