"""Every page, by a name and an address; of sessions, the long one."""

from __future__ import annotations

# {pi} is the long session, {tree} one with branches that people wrote.
PAGES = {
    "overview": "/",
    "sessions": "/sessions",
    "sessions-lineage": "/sessions?view=lineage",
    "session": "/sessions/{pi}",
    "session-branches": "/sessions/{tree}",
    "tree": "/sessions/{pi}/tree",
    "context": "/sessions/{pi}/context?format=anthropic",
    "compactions": "/sessions/{pi}/compactions",
    "usage": "/sessions/{pi}/usage",
    "session-blocks": "/sessions/{pi}/blocks?block=memory",
    "events": "/sessions/{pi}/events",
    "raw": "/sessions/{pi}/raw",
    "fork": "/sessions/{pi}/fork",
    "blocks": "/blocks",
    "quarantine": "/quarantine",
    "search": "/search?q=theme",
    "search-nothing": "/search?q=zzzzqqq",
    "spend": "/spend",
    "prices": "/prices",
    "budgets": "/budgets",
    "webhooks": "/webhooks",
    "import": "/import",
    "agents": "/agents",
    "keys": "/keys",
    "people": "/people",
    "jobs": "/jobs",
    "system": "/system",
    "missing": "/sessions/99999999",
}
