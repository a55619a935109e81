"""Queries by hand over the messages of a path."""

from __future__ import annotations

# The bodies that hold a word, from a message up to one above it, both included, the
# lowest first. Parameters: last, first, word (a LIKE pattern).
BODIES_WITH = """
WITH RECURSIVE covered (id, parent_id) AS (
    SELECT id, parent_id FROM sessions_app_message WHERE id = %(last)s
    UNION ALL
    SELECT message.id, message.parent_id
    FROM covered
    JOIN sessions_app_message message ON message.id = covered.parent_id
    WHERE covered.id > %(first)s
)
SELECT message.id, message.body
FROM covered
JOIN sessions_app_message message ON message.id = covered.id
WHERE message.body LIKE %(word)s
ORDER BY message.id
"""
