"""The one shape of all summarizers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sessions_app.errors import Failed
from sessions_app.planning import Step
from sessions_app.services.spend.usage import Tokens


class SummarizerFailed(Failed):
    code = "summarizer_failed"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model: what it used, also where nothing came of it in the end."""

    model: str
    tokens: Tokens
    raw: str = ""
    latency_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    text: str
    model: str = ""


Note = Callable[[Call], None]
"""What a summarizer tells of each of its calls, as soon as it has been answered."""

Summarizer = Callable[[Sequence[Step], int, Note], Summary]
"""
Sums up the steps in about so many tokens.

:raises SummarizerFailed: if nothing fit to keep comes of it
"""
