"""A function for ``on_compaction``: the product's planning, and a model of the host's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypedDict

from django.conf import settings

from memoryhub.facade.settling import settle
from memoryhub.facade.storage import Message
from sessions_app.messages import RESERVED_PREFIX
from sessions_app.planning import Limits, Step, find_span, summary_budget
from sessions_app.services.compaction.summarizers import SummarizerFailed
from sessions_app.summaries.folding import SummaryTooLong, fold
from sessions_app.tokens import message_tokens

TokenCounter = Callable[[Sequence[Message]], float]


class CompactionResult(TypedDict):
    """
    A summary, and the messages that it stands for, first and last.

    The id of an earlier summary stands for all that it covers.
    """

    from_message_id: str
    to_message_id: str
    summary: str


CompactionFunction = Callable[..., Any]
"""
Takes a history, and ``token_counter=`` where the session has one.

Returns a ``CompactionResult``, or None where there is nothing to do. It may be async.
"""


def create_compact_function(
    *,
    summarize: Callable[[str], str | Awaitable[str]],
    protect_head: int = 3,
    tail_token_budget: int = 20_000,
    min_tail_messages: int = 2,
    token_counter: TokenCounter | None = None,
) -> CompactionFunction:
    """
    Return a function that keeps the first and the newest messages, and has ``summarize``
    answer a prompt about those between. What is too long for one prompt is told in several.
    """
    limits = Limits(protect_head, tail_token_budget, min_tail_messages)

    def compact(
        messages: list[dict[str, Any]],
        /,
        token_counter: TokenCounter | None = token_counter,
        **_: Any,
    ) -> CompactionResult | None:
        steps = [_step(message, token_counter) for message in messages]
        span = find_span(steps, limits)
        if span is None:
            return None
        chosen = steps[slice(*span)]
        try:
            summary = fold(
                chosen,
                budget=summary_budget(sum(step.tokens for step in chosen)),
                prompt_tokens=settings.SUMMARIZER_PROMPT_TOKENS,
                ask=lambda prompt: settle(summarize(prompt)) or "",
            )
        except SummaryTooLong as exc:
            raise SummarizerFailed("The summary is as long as a prompt may be") from exc
        if not summary.strip():
            return None
        return CompactionResult(
            from_message_id=chosen[0].id, to_message_id=chosen[-1].id, summary=summary
        )

    return compact


def count_tokens(messages: Sequence[Message], counter: TokenCounter | None) -> int:
    if counter is None:
        return sum(map(message_tokens, messages))
    return int(counter(messages))


def _step(message: Mapping[str, Any], counter: TokenCounter | None) -> Step:
    uid: str = message["id"]
    tokens = count_tokens([message], counter)
    if not uid.startswith(RESERVED_PREFIX):
        return Step(uid, message["role"], message["parts"], tokens)
    # A host's own storage need not say what a summary covers.
    covered = message.get("metadata", {}).get("compaction", {}).get("count", 1)
    return Step(
        uid, message["role"], message["parts"], tokens, covers=(uid, uid), count=covered
    )
