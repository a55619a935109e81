"""The built-in summarizer, which asks nobody."""

from __future__ import annotations

from collections.abc import Sequence

from sessions_app.planning import Step
from sessions_app.services.compaction.summarizers.base import Note, Summary
from sessions_app.summaries import extractive


def summarize(steps: Sequence[Step], budget: int, note: Note) -> Summary:
    return Summary(extractive.summarize(steps, budget))
