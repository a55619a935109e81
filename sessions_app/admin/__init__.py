"""
The admin: for looking at rows, and mending them.

What is written goes through the services, so that what holds elsewhere holds here:
a fork keeps its messages, the search index follows, the head is moved.
"""

from __future__ import annotations

from sessions_app.admin import (
    agents,
    budgets,
    changes,
    compactions,
    idempotency,
    jobs,
    keys,
    labels,
    messages,
    prices,
    search,
    sessions,
    site,
    spend,
    uploads,
    usage,
    webhooks,
)

__all__ = [
    "agents",
    "budgets",
    "changes",
    "compactions",
    "idempotency",
    "jobs",
    "keys",
    "labels",
    "messages",
    "prices",
    "search",
    "sessions",
    "site",
    "spend",
    "uploads",
    "usage",
    "webhooks",
]
