"""Queries by hand, where rows are many."""

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

# The entries of a block, for another one. Parameters: block, copy, now.
COPY_ENTRIES = """
INSERT INTO context_app_entry
    (block_id, key, description, content, tokens, findings, version, created_at, updated_at)
SELECT %(copy)s, key, description, content, tokens, findings, 1, %(now)s, %(now)s
FROM context_app_entry
WHERE block_id = %(block)s
ORDER BY id
"""

# The first versions of all entries of a block. Parameters: block, author, now.
FIRST_VERSIONS = """
INSERT INTO context_app_version
    (block_id, key, version, description, content, deleted, findings, author, created_at)
SELECT block_id, key, 1, description, content, FALSE, findings, %(author)s, %(now)s
FROM context_app_entry
WHERE block_id = %(block)s
ORDER BY id
"""

# Entries with their copies. Parameters: block, copy.
COPIED = """
SELECT entry.id, copied.id
FROM context_app_entry entry
JOIN context_app_entry copied
    ON copied.block_id = %(copy)s AND copied.key = entry.key
WHERE entry.block_id = %(block)s
ORDER BY copied.id
"""
