"""
What is said of messages that were found.

The primary keys that a query is about are put in as a list of parameters.
"""

from __future__ import annotations

# Parameters: documents.
MESSAGES = """
SELECT document.id, message.id, message.uid, message.role, message.depth,
    message.parent_id, message.created_at, message.session_id
FROM sessions_app_searchdocument document
JOIN sessions_app_message message ON message.id = document.ref
WHERE document.id IN ({}) AND document.kind = 'message'
"""

# Documents with the messages that they are of: a condition on the kind would have
# SQLite go through all of that kind. Parameters: documents.
TEXTS = """
SELECT document.id, document.kind, document.text, session.key, agent.name, message.uid,
    message.role, message.created_at
FROM sessions_app_searchdocument document
JOIN sessions_app_message message ON message.id = document.ref
JOIN sessions_app_session session ON session.id = message.session_id
JOIN sessions_app_agent agent ON agent.id = session.agent_id
WHERE document.id IN ({})
"""

# The uppermost living session above each, itself among them; the last row of each
# counts. Parameters: sessions, now.
LINEAGES = """
WITH RECURSIVE up (start, id, parent_id, level) AS (
    SELECT session.id, session.id, session.parent_session_id, 0
    FROM sessions_app_session session
    WHERE session.id IN ({})
    UNION ALL
    SELECT up.start, parent.id, parent.parent_session_id, up.level + 1
    FROM up
    JOIN sessions_app_session parent ON parent.id = up.parent_id
    WHERE parent.trashed_at IS NULL
        AND (parent.expires_at IS NULL OR parent.expires_at > %(now)s)
        AND up.level < 50
)
SELECT start, id FROM up ORDER BY start, level
"""

# Those that lie on the path to the head of their session. Parameters: messages.
ON_HEAD_PATH = """
WITH RECURSIVE climb (target, id, parent_id, skip) AS (
    SELECT found.id, head.id, head.parent_id, head.skip
    FROM sessions_app_message found
    JOIN sessions_app_session session ON session.id = found.session_id
    JOIN sessions_app_message head ON head.id = session.head_id
    WHERE found.id IN ({})
    UNION ALL
    SELECT climb.target, message.id, message.parent_id, message.skip
    FROM climb
    JOIN sessions_app_message message
        ON message.id = CASE WHEN climb.skip >= climb.target
            THEN climb.skip ELSE climb.parent_id END
    WHERE climb.id > climb.target
)
SELECT target FROM climb WHERE id = target
"""

# A branch that goes on from each, along the newest replies, and where it ends or is
# no longer followed: the last row of each counts. Parameters: messages.
BRANCH_ENDS = """
WITH RECURSIVE down (start, id, session_id, steps) AS (
    SELECT id, id, session_id, 0
    FROM sessions_app_message
    WHERE id IN ({})
    UNION ALL
    SELECT down.start, (
        SELECT max(reply.id)
        FROM sessions_app_message reply
        WHERE reply.parent_id = down.id AND reply.session_id = down.session_id
    ), down.session_id, down.steps + 1
    FROM down
    WHERE down.id IS NOT NULL AND down.steps < 200
)
SELECT down.start, message.uid
FROM down
JOIN sessions_app_message message ON message.id = down.id
ORDER BY down.start, down.steps
"""
