"""One summary from as many prompts as it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sessions_app.planning import Step
from sessions_app.summaries.chunks import cautious_tokens, take
from sessions_app.summaries.prompts import FRAME_TOKENS, build_prompt
from sessions_app.summaries.rendering import render_all, summary_text

# Less than this is no prompt to work with: the instructions alone take a third.
LEAST_PROMPT = 1_000


class SummaryTooLong(Exception):
    """A model answers so long that its summary leaves no room for what follows."""


def split_previous(steps: Sequence[Step]) -> tuple[str | None, list[str]]:
    """Return the summary that steps begin with, if they do, and the others as texts."""
    if steps and steps[0].is_summary:
        return summary_text(steps[0]), render_all(steps)[1:]
    return None, render_all(steps)


def fold(
    steps: Sequence[Step],
    *,
    budget: int,
    prompt_tokens: int,
    ask: Callable[[str], str],
) -> str:
    """
    Return a summary of all the steps; no prompt is longer than ``prompt_tokens``.

    Each prompt after the first carries the summary of what came before it.

    :raises SummaryTooLong: if a summary fills half of a prompt
    """
    room = max(prompt_tokens, LEAST_PROMPT) - FRAME_TOKENS
    previous, texts = split_previous(steps)
    if previous is not None and cautious_tokens(previous) > room // 2:
        texts, previous = [previous, *texts], None
    while True:
        used = 0 if previous is None else cautious_tokens(previous)
        if used > room // 2:
            raise SummaryTooLong
        text, texts = take(texts, room - used)
        previous = ask(build_prompt(text, previous=previous, budget=budget))
        if not texts:
            return previous
