from __future__ import annotations

from sessions_app.models.agents import Agent, ApiKey
from sessions_app.models.compactions import Compaction
from sessions_app.models.idempotency import IdempotencyRecord
from sessions_app.models.jobs import Job
from sessions_app.models.messages import Label, Message
from sessions_app.models.search import SearchDocument
from sessions_app.models.sessions import Session
from sessions_app.models.usage import Usage

__all__ = [
    "Agent",
    "ApiKey",
    "Compaction",
    "IdempotencyRecord",
    "Job",
    "Label",
    "Message",
    "SearchDocument",
    "Session",
    "Usage",
]
