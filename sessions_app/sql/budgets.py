"""
Which budgets apply to a call, and what was spent of them.

What was imported is left out: it was spent before, and elsewhere.
"""

from __future__ import annotations

# The active budgets that a call counts to; lock them after what is spent is written.
# Where there is none at all, which is looked at first, the rest costs nothing.
# The columns are as many of Budget's, in its order. Parameters: session, key (null for none).
APPLYING = """
WITH RECURSIVE lineage (id, parent_session_id) AS (
    SELECT id, parent_session_id
    FROM sessions_app_session
    WHERE id = %(session)s
    UNION
    SELECT above.id, above.parent_session_id
    FROM lineage
    JOIN sessions_app_session above ON above.id = lineage.parent_session_id
)
SELECT
    budget.id, budget.agent_id, budget.session_id, budget.key_id, budget.period,
    budget.limit_nanos, budget.hard, budget.warn_at
FROM (SELECT 1 FROM sessions_app_budget WHERE active LIMIT 1) present
CROSS JOIN sessions_app_budget budget
WHERE budget.active AND (
    (budget.agent_id IS NULL AND budget.session_id IS NULL AND budget.key_id IS NULL)
    OR budget.agent_id = (
        SELECT agent_id FROM sessions_app_session WHERE id = %(session)s
    )
    OR budget.key_id = %(key)s
    OR budget.session_id IN (SELECT id FROM lineage)
)
ORDER BY budget.id
"""

# The rest take start and end, days since 1970 of which the end is left out, and what the
# budget covers. They answer with one row: the cost, and the calls without a price.

OF_EVERYTHING = """
SELECT coalesce(sum(cost_nanos), 0), coalesce(sum(unpriced), 0)
FROM sessions_app_usageday
WHERE day >= %(start)s AND day < %(end)s AND purpose <> 'import'
"""

OF_AGENT = """
SELECT coalesce(sum(cost_nanos), 0), coalesce(sum(unpriced), 0)
FROM sessions_app_usageday
WHERE agent_id = %(covered)s
    AND day >= %(start)s AND day < %(end)s AND purpose <> 'import'
"""

OF_KEY = """
SELECT coalesce(sum(cost_nanos), 0), coalesce(sum(unpriced), 0)
FROM sessions_app_usageday
WHERE key = %(covered)s
    AND day >= %(start)s AND day < %(end)s AND purpose <> 'import'
"""

# With the sessions below it.
OF_SESSION = """
WITH RECURSIVE family (id) AS (
    SELECT CAST(%(covered)s AS bigint)
    UNION
    SELECT session.id
    FROM family
    JOIN sessions_app_session session ON session.parent_session_id = family.id
)
SELECT coalesce(sum(rollup.cost_nanos), 0), coalesce(sum(rollup.unpriced), 0)
FROM family
JOIN sessions_app_sessionday rollup ON rollup.session_id = family.id
WHERE rollup.day >= %(start)s AND rollup.day < %(end)s AND NOT rollup.imported
"""
