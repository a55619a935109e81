"""
Who can make a summary of a stretch of conversation. To add one: a file, a line here.

A summarizer may take long and ask other servers, so it is never called within a
transaction.
"""

from __future__ import annotations

from django.conf import settings

from sessions_app.errors import Invalid
from sessions_app.services.compaction.summarizers import extractive, openai
from sessions_app.services.compaction.summarizers.base import (
    Call,
    Note,
    Summarizer,
    SummarizerFailed,
    Summary,
)

__all__ = [
    "MODELS",
    "SUMMARIZERS",
    "Call",
    "Note",
    "Summarizer",
    "SummarizerFailed",
    "Summary",
    "UnknownSummarizer",
    "choose",
]

AUTO = "auto"
SUMMARIZERS: dict[str, Summarizer] = {
    "extractive": extractive.summarize,
    "openai": openai.summarize,
}
# Those that ask a model, which costs.
MODELS = {"openai"}


class UnknownSummarizer(Invalid):
    code = "unknown_summarizer"


def choose(name: str | None = None) -> str:
    """
    Return the name of the summarizer to use, by default the operator's choice.

    :raises UnknownSummarizer: if there is none of that name, or it is not set up
    """
    name = name or settings.SUMMARIZER
    if name == AUTO:
        return "openai" if settings.SUMMARIZER_URL else "extractive"
    if name not in SUMMARIZERS:
        known = ", ".join(SUMMARIZERS)
        raise UnknownSummarizer(f"No summarizer {name!r}: there are {known}")
    if name == "openai" and not settings.SUMMARIZER_URL:
        raise UnknownSummarizer(
            "The summarizer openai is not set up: set MEMORYHUB_SUMMARIZER_URL"
        )
    return name
