"""
What a model used, from each provider's own account to our disjoint buckets.

``input_tokens`` were neither read from nor written to a cache; ``output_tokens`` leave
out reasoning where that is reported. Providers differ in what their input holds, and
whether reasoning is in their output: formats.md 4.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sessions_app.errors import Invalid

BUCKETS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
# Of the cache writes, those for an hour.
HOUR = "cache_write_1h_tokens"
# More than any one call takes: beyond it is a mistake.
MOST_TOKENS = 10**12


@dataclass(slots=True)
class TokenUsage:
    """``clamped`` names the buckets that came out negative, and are 0 now."""

    tokens: dict[str, int]
    clamped: list[str] = field(default_factory=list)
    # Of the tokens written to a cache, those for an hour, which cost more.
    cache_write_1h_tokens: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """The buckets, and what one of them holds."""
        return {**self.tokens, HOUR: self.cache_write_1h_tokens}


class Numbers:
    """A usage object, whose numbers are checked where they are read."""

    def __init__(self, usage: Mapping[str, Any]) -> None:
        self.usage = usage

    def __call__(self, *paths: str) -> int:
        """Return the first of these numbers that is there, or 0; dots lead inside."""
        return self.maybe(*paths) or 0

    def maybe(self, *paths: str) -> int | None:
        for path in paths:
            value: Any = self.usage
            for name in path.split("."):
                value = value.get(name) if isinstance(value, dict) else None
            # A float is how JavaScript may send a whole number; NaN comes as null.
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if value is None or isinstance(value, dict):
                continue
            if type(value) is not int or abs(value) > MOST_TOKENS:
                where = f"usage.{path}"
                raise Invalid(f"{where}: must be a whole number", field=where)
            return value
        return None


Reader = Callable[[Numbers], TokenUsage]


# What providers are called elsewhere, and whose usage theirs is.
PROVIDERS = {
    "openai": "openai-chat",
    "azure": "openai-chat",
    "google": "gemini",
    "vertex": "gemini",
    "anthropic.messages": "anthropic",
    "bedrock": "anthropic",
    "workers_ai": "workers-ai",
}


def read_providers_usage(provider: str, usage: Any) -> TokenUsage:
    """
    Return the buckets of a usage object by who made it.

    :raises Invalid: as ``read_usage``
    """
    name = PROVIDERS.get(provider, provider)
    if name == "openai-chat" and isinstance(usage, dict) and "input_tokens" in usage:
        name = "openai-responses"
    return read_usage(name, usage)


def read_usage(name: str, usage: Any) -> TokenUsage:
    """
    Return the buckets of a usage object of this format, or of our own shape.

    :raises Invalid: if it is no object, holds what is no number, or is of no known format
    """
    if not isinstance(usage, dict):
        raise Invalid("usage: must be an object", field="usage")
    if usage and set(usage) <= {*BUCKETS, HOUR}:
        numbers = Numbers(usage)
        return _make({bucket: numbers(bucket) for bucket in BUCKETS}, numbers(HOUR))
    if name not in USAGES:
        raise Invalid(
            f"usage: of no provider that is known, {name!r}: send the buckets themselves",
            field="usage",
        )
    return USAGES[name](Numbers(usage))


def read_openai_chat(numbers: Numbers) -> TokenUsage:
    """Cached tokens are in the prompt's, reasoning in the completion's."""
    # prompt_cache_hit_tokens is DeepSeek's.
    cached = numbers("prompt_tokens_details.cached_tokens", "prompt_cache_hit_tokens")
    return _included(
        numbers("prompt_tokens"),
        numbers("completion_tokens"),
        cached,
        numbers("prompt_tokens_details.cache_write_tokens"),
        numbers("completion_tokens_details.reasoning_tokens"),
    )


def read_openai_responses(numbers: Numbers) -> TokenUsage:
    return _included(
        numbers("input_tokens"),
        numbers("output_tokens"),
        numbers("input_tokens_details.cached_tokens"),
        numbers("input_tokens_details.cache_write_tokens"),
        numbers("output_tokens_details.reasoning_tokens"),
    )


def read_anthropic(numbers: Numbers) -> TokenUsage:
    """Input is without the cache; output holds thinking, which is not always told."""
    hour = numbers("cache_creation.ephemeral_1h_input_tokens")
    minutes = numbers("cache_creation.ephemeral_5m_input_tokens")
    written = numbers.maybe("cache_creation_input_tokens")
    thinking = numbers("output_tokens_details.thinking_tokens")
    found = {
        "input_tokens": numbers("input_tokens"),
        "output_tokens": numbers("output_tokens") - thinking,
        "cache_read_tokens": numbers("cache_read_input_tokens"),
        "cache_write_tokens": hour + minutes if written is None else written,
        "reasoning_tokens": thinking,
    }
    return _make(found, hour)


def read_gemini(numbers: Numbers) -> TokenUsage:
    """The prompt holds the cached, not the tools' own; thoughts add to candidates."""
    cached = numbers("cachedContentTokenCount", "cached_content_token_count")
    tools = numbers("toolUsePromptTokenCount", "tool_use_prompt_token_count")
    prompt = numbers("promptTokenCount", "prompt_token_count")
    found = {
        "input_tokens": prompt - cached + tools,
        "output_tokens": numbers("candidatesTokenCount", "candidates_token_count"),
        "cache_read_tokens": cached,
        "reasoning_tokens": numbers("thoughtsTokenCount", "thoughts_token_count"),
    }
    return _make(found)


def read_langchain(numbers: Numbers) -> TokenUsage:
    """
    ``usage_metadata``: the input is all there is.

    For Anthropic's models what is written to the cache is in either of two places.
    """
    hour = numbers("input_token_details.ephemeral_1h_input_tokens")
    minutes = numbers("input_token_details.ephemeral_5m_input_tokens")
    written = numbers("input_token_details.cache_creation")
    return _included(
        numbers("input_tokens"),
        numbers("output_tokens"),
        numbers("input_token_details.cache_read"),
        max(written, hour + minutes),
        numbers("output_token_details.reasoning"),
        hour,
    )


def read_ai_sdk(numbers: Numbers) -> TokenUsage:
    """Versions 4 (promptTokens), 5 (flat), 6 (details), and a provider's own (totals)."""
    read = "inputTokenDetails.cacheReadTokens"
    written = "inputTokenDetails.cacheWriteTokens"
    thought = "outputTokenDetails.reasoningTokens"
    return _included(
        numbers("inputTokens.total", "inputTokens", "promptTokens"),
        numbers("outputTokens.total", "outputTokens", "completionTokens"),
        numbers("inputTokens.cacheRead", read, "cachedInputTokens"),
        numbers("inputTokens.cacheWrite", written),
        numbers("outputTokens.reasoning", thought, "reasoningTokens"),
    )


def read_pi(numbers: Numbers) -> TokenUsage:
    """Pi's are disjoint already; reasoning is in its output."""
    found = {
        "input_tokens": numbers("input"),
        "output_tokens": numbers("output"),
        "cache_read_tokens": numbers("cacheRead"),
        "cache_write_tokens": numbers("cacheWrite"),
    }
    return _make(found)


def read_additive(numbers: Numbers) -> TokenUsage:
    """Read as araliya does: cached tokens are beside the input, not in it."""
    cached = ("cached_input_tokens", "cached_tokens", "cache_read_tokens")
    found = {
        "input_tokens": numbers("input_tokens", "prompt_tokens"),
        "output_tokens": numbers("output_tokens", "completion_tokens"),
        "cache_read_tokens": numbers(*cached),
    }
    return _make(found)


USAGES: dict[str, Reader] = {
    "openai-chat": read_openai_chat,
    "workers-ai": read_openai_chat,
    "openai-responses": read_openai_responses,
    "anthropic": read_anthropic,
    "gemini": read_gemini,
    "langchain": read_langchain,
    "ai-sdk": read_ai_sdk,
    "ai-sdk-model": read_ai_sdk,
    "raw": read_ai_sdk,
    "pi": read_pi,
    "araliya": read_additive,
}


def _included(
    total: int, output: int, cached: int, written: int, reasoning: int, hour: int = 0
) -> TokenUsage:
    """Take apart what a total input and a total output hold."""
    found = {
        "input_tokens": total - cached - written,
        "output_tokens": output - reasoning,
        "cache_read_tokens": cached,
        "cache_write_tokens": written,
        "reasoning_tokens": reasoning,
    }
    return _make(found, hour)


def _make(found: dict[str, int], hour: int = 0) -> TokenUsage:
    tokens = {bucket: max(found.get(bucket, 0), 0) for bucket in BUCKETS}
    clamped = [bucket for bucket, number in found.items() if number < 0]
    hour = min(max(hour, 0), tokens["cache_write_tokens"])
    return TokenUsage(tokens, clamped, hour)
