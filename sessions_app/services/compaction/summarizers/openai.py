"""A model behind an endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

import orjson
from django.conf import settings

from sessions_app.messages import summary_tokens
from sessions_app.planning import Step
from sessions_app.services.compaction.summarizers.base import (
    Call,
    Note,
    SummarizerFailed,
    Summary,
)
from sessions_app.services.compaction.summarizers.http import post_json
from sessions_app.services.spend.usage import Tokens
from sessions_app.summaries.folding import SummaryTooLong, fold

# What some models put before their answer.
THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
MOST_TOKENS = 10**12


def summarize(steps: Sequence[Step], budget: int, note: Note) -> Summary:
    models: list[str] = []

    def ask(prompt: str) -> str:
        started = time.monotonic()
        reply = post_json(
            f"{settings.SUMMARIZER_URL.rstrip('/')}/chat/completions",
            {
                "model": settings.SUMMARIZER_MODEL,
                "messages": [{"role": "user", "content": prompt}],
                "stream": False,
            },
            key=settings.SUMMARIZER_KEY,
            timeout=settings.SUMMARIZER_TIMEOUT,
        )
        model = reply.get("model")
        name = model if isinstance(model, str) else settings.SUMMARIZER_MODEL
        # PostgreSQL takes no NUL in a text.
        models.append(name.replace("\0", " ")[:200])
        usage = reply.get("usage")
        if isinstance(usage, dict):
            note(
                Call(
                    models[-1],
                    tokens_of(usage),
                    raw=orjson.dumps(usage).decode(),
                    latency_ms=round((time.monotonic() - started) * 1000),
                )
            )
        return text_of(reply)

    try:
        text = fold(
            steps,
            budget=budget,
            prompt_tokens=settings.SUMMARIZER_PROMPT_TOKENS,
            ask=ask,
        )
    except SummaryTooLong as exc:
        raise SummarizerFailed(
            f"The summarizer's reply is too long: it was asked for {budget} tokens"
        ) from exc
    replaced, size = sum(step.tokens for step in steps), summary_tokens(text)
    if size >= replaced:
        raise SummarizerFailed(
            f"The summary takes {size:,} tokens, not less than the {replaced:,} that it "
            "was to replace"
        )
    return Summary(text, models[-1])


def text_of(reply: dict[str, Any]) -> str:
    """
    Return what a model has answered, without its thinking.

    :raises SummarizerFailed: if that is nothing, or was cut off
    """
    try:
        choice = reply["choices"][0]
        content = choice["message"]["content"]
    except (LookupError, TypeError) as exc:
        raise SummarizerFailed(
            "The summarizer's reply has no choices[0].message"
        ) from exc
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    text = THINKING.sub("", content).strip() if isinstance(content, str) else ""
    reason = choice.get("finish_reason")
    if not text:
        raise SummarizerFailed(f"The summarizer's reply is empty (it ended: {reason})")
    if reason == "length":
        raise SummarizerFailed(
            "The summarizer's reply was cut off at the model's limit"
        )
    return text.replace("\0", " ")


def tokens_of(usage: dict[str, Any]) -> Tokens:
    """
    Return OpenAI's figures as disjoint buckets.

    Its prompt tokens include the cached ones, its completion tokens the reasoning.
    """
    prompt, completion = (
        _count(usage, "prompt_tokens"),
        _count(usage, "completion_tokens"),
    )
    cached = min(_count(usage, "prompt_tokens_details", "cached_tokens"), prompt)
    reasoning = _count(usage, "completion_tokens_details", "reasoning_tokens")
    reasoning = min(reasoning, completion)
    return Tokens(
        input_tokens=prompt - cached,
        output_tokens=completion - reasoning,
        cache_read_tokens=cached,
        reasoning_tokens=reasoning,
    )


def _count(usage: dict[str, Any], *path: str) -> int:
    value: Any = usage
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return min(max(value, 0), MOST_TOKENS) if is_count else 0
