from __future__ import annotations

from sessions_app.models.agents import Agent, ApiKey
from sessions_app.models.budgets import Budget
from sessions_app.models.changes import (
    KeptCompaction,
    KeptMessage,
    KeptUsage,
    MessageChange,
)
from sessions_app.models.compactions import Compaction
from sessions_app.models.idempotency import IdempotencyRecord
from sessions_app.models.jobs import Job
from sessions_app.models.messages import Label, Message
from sessions_app.models.prices import Price
from sessions_app.models.search import SearchDocument
from sessions_app.models.sessions import Session
from sessions_app.models.spend import SessionDay, UsageDay
from sessions_app.models.uploads import Upload
from sessions_app.models.usage import Usage
from sessions_app.models.webhooks import Delivery, Webhook

__all__ = [
    "Agent",
    "ApiKey",
    "Budget",
    "Compaction",
    "Delivery",
    "IdempotencyRecord",
    "Job",
    "KeptCompaction",
    "KeptMessage",
    "KeptUsage",
    "Label",
    "Message",
    "MessageChange",
    "Price",
    "SearchDocument",
    "Session",
    "SessionDay",
    "Upload",
    "Usage",
    "UsageDay",
    "Webhook",
]
