"""Sessions that have to be compacted, and who does it, for tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sessions_app.models import Job, Session
from sessions_app.services.compaction.summarizers import Summarizer, Summary
from sessions_app.services.jobs import run_next
from tests.builders import append, draft, fresh

UIDS = "a b c d e f g h i j"


def fill(session: Session) -> Session:
    """Give it ten messages of a hundred tokens each, and a threshold of five hundred."""
    Session.objects.filter(id=session.id).update(compact_after=500)
    append(session, *(draft("word " * 74, uid) for uid in UIDS.split()))
    return fresh(session)


def configure(settings: Any) -> None:
    """Let there be no model, and what a test sets up of one be quick and secret."""
    settings.SUMMARIZER = "auto"
    settings.SUMMARIZER_URL = ""
    settings.SUMMARIZER_KEY = "sk-very-secret"
    settings.SUMMARIZER_MODEL = "small"
    settings.SUMMARIZER_TIMEOUT = 5.0


def answers(text: str, before: Callable[[], object] | None = None) -> Summarizer:
    """Return a summarizer; it first calls a function."""

    def summarize(steps: Any, budget: int, note: Any) -> Summary:
        if before:
            before()
        return Summary(text)

    return summarize


def run(at: datetime | None = None) -> Job:
    ran = run_next(at)
    assert ran
    ran.refresh_from_db()
    return ran
