"""
Keeping what a change takes from a session, and putting it back.

A change has steps, and each step its rows. Parameters of all: change, step.
"""

from __future__ import annotations

from sessions_app.sql import walks

_INSERT = """
INSERT INTO sessions_app_keptmessage (
    change_id, step, what, ref, uid, parent, skip, depth, role, tokens, path_tokens,
    seq, created_at, label, body
)
"""

_PLACE = """
    message.id, message.uid, message.parent_id, message.skip, message.depth,
    message.role, message.tokens, message.path_tokens, message.seq,
    message.created_at
"""

_LABELLED = """
LEFT JOIN sessions_app_label label
    ON label.message_id = message.id AND label.session_id = message.session_id
"""

# A message that is to be written over. Parameters: message.
EDITED = f"""
{_INSERT}
SELECT %(change)s, %(step)s, 'edited', {_PLACE}, '', message.body
FROM sessions_app_message message
WHERE message.id = %(message)s
"""

# A message that is to go alone, and the places of those that follow it. Parameters:
# message.
ALONE = f"""
{_INSERT}
SELECT %(change)s, %(step)s,
    CASE WHEN message.id = %(message)s THEN 'gone' ELSE 'moved' END,
    {_PLACE},
    CASE WHEN message.id = %(message)s THEN coalesce(label.text, '') ELSE '' END,
    CASE WHEN message.id = %(message)s THEN message.body ELSE '' END
FROM sessions_app_message message
{_LABELLED}
WHERE message.id = %(message)s OR message.parent_id = %(message)s
"""

# A message that is to go with all below it. Parameters: message.
WITH_BELOW = f"""
{walks.SUBTREE_IDS}
{_INSERT}
SELECT %(change)s, %(step)s, 'gone', {_PLACE}, coalesce(label.text, ''), message.body
FROM subtree
JOIN sessions_app_message message ON message.id = subtree.id
{_LABELLED}
"""

# All messages of a session. Parameters: session.
ALL = f"""
{_INSERT}
SELECT %(change)s, %(step)s, 'gone', {_PLACE}, coalesce(label.text, ''), message.body
FROM sessions_app_message message
{_LABELLED}
WHERE message.session_id = %(session)s
"""

# Which rows of the ledger belong to the messages that are to go.
USAGE = """
INSERT INTO sessions_app_keptusage (change_id, step, ref, usage)
SELECT kept.change_id, kept.step, kept.ref, usage.id
FROM sessions_app_keptmessage kept
JOIN sessions_app_usage usage ON usage.message_id = kept.ref
WHERE kept.change_id = %(change)s AND kept.step = %(step)s AND kept.what = 'gone'
"""

# Ids that a session has given to other messages since. Parameters: session.
TAKEN = """
SELECT kept.uid
FROM sessions_app_keptmessage kept
JOIN sessions_app_message message
    ON message.session_id = %(session)s AND message.uid = kept.uid
WHERE kept.change_id = %(change)s AND kept.step = %(step)s AND kept.what = 'gone'
LIMIT 1
"""

# Messages that moved up, and are not where they were put any more. Parameters:
# session, parent (where they were put, or null).
ELSEWHERE = """
SELECT kept.uid
FROM sessions_app_keptmessage kept
LEFT JOIN sessions_app_message message
    ON message.id = kept.ref
    AND message.session_id = %(session)s
    AND message.parent_id IS NOT DISTINCT FROM CAST(%(parent)s AS bigint)
WHERE kept.change_id = %(change)s AND kept.step = %(step)s AND kept.what = 'moved'
    AND message.id IS NULL
LIMIT 1
"""

# Put messages back, the topmost below its parent as that is now. A skip link that led
# further up leads to the parent. Parameters: session, top (0: all as they were),
# parent, deeper, tokens (how much more there is above).
PUT_BACK = """
INSERT INTO sessions_app_message (
    id, session_id, uid, parent_id, skip, depth, role, tokens, path_tokens, seq,
    created_at, body
)
SELECT
    ref, %(session)s, uid,
    CASE WHEN ref = %(top)s THEN CAST(%(parent)s AS bigint) ELSE parent END,
    CASE WHEN skip >= %(top)s THEN skip ELSE CAST(%(parent)s AS bigint) END,
    depth + %(deeper)s, role, tokens, path_tokens + %(tokens)s, seq, created_at, body
FROM sessions_app_keptmessage
WHERE change_id = %(change)s AND step = %(step)s AND what = 'gone'
ORDER BY ref
"""

# Open the gap that was closed: those that moved up follow the message again.
# Parameters: message, tokens.
OPEN_GAP = """
WITH RECURSIVE moved (id) AS (
    SELECT ref
    FROM sessions_app_keptmessage
    WHERE change_id = %(change)s AND step = %(step)s AND what = 'moved'
),
subtree (id) AS (
    SELECT id FROM moved
    UNION ALL
    SELECT message.id
    FROM subtree
    JOIN sessions_app_message message ON message.parent_id = subtree.id
)
UPDATE sessions_app_message
SET depth = depth + 1,
    path_tokens = path_tokens + %(tokens)s,
    parent_id = CASE WHEN id IN (SELECT id FROM moved)
        THEN CAST(%(message)s AS bigint) ELSE parent_id END,
    skip = coalesce(skip, CAST(%(message)s AS bigint))
WHERE id IN (SELECT id FROM subtree)
"""

# Parameters: session.
PUT_LABELS_BACK = """
INSERT INTO sessions_app_label (session_id, message_id, text)
SELECT CAST(%(session)s AS bigint), ref, label
FROM sessions_app_keptmessage
WHERE change_id = %(change)s AND step = %(step)s AND what = 'gone' AND label <> ''
"""

# A row that belongs to another message by now stays with that.
PUT_USAGE_BACK = """
UPDATE sessions_app_usage
SET message_id = (
    SELECT kept.ref
    FROM sessions_app_keptusage kept
    WHERE kept.change_id = %(change)s AND kept.step = %(step)s
        AND kept.usage = sessions_app_usage.id
)
WHERE message_id IS NULL AND id IN (
    SELECT usage
    FROM sessions_app_keptusage
    WHERE change_id = %(change)s AND step = %(step)s
)
"""
