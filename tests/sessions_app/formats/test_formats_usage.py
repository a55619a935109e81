from __future__ import annotations

import pytest

from sessions_app.errors import Invalid
from sessions_app.formats import FORMATS
from sessions_app.formats.usage import BUCKETS, USAGES, read_usage

# A provider's object, and input, output, cache read, cache write, reasoning.
CASES = {
    "openai-chat": (
        {
            "prompt_tokens": 2006,
            "completion_tokens": 300,
            "total_tokens": 2306,
            "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 100},
        },
        (86, 200, 1920, 0, 100),
    ),
    "openai-responses": (
        {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
            "output_tokens": 50,
            "output_tokens_details": {"reasoning_tokens": 20},
            "total_tokens": 150,
        },
        (30, 30, 60, 10, 20),
    ),
    "anthropic": (
        {
            "input_tokens": 50,
            "cache_creation_input_tokens": 700,
            "cache_creation": {
                "ephemeral_5m_input_tokens": 500,
                "ephemeral_1h_input_tokens": 200,
            },
            "cache_read_input_tokens": 1800,
            "output_tokens": 503,
            "service_tier": "standard",
        },
        (50, 503, 1800, 700, 0),
    ),
    "gemini": (
        {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 40,
            "toolUsePromptTokenCount": 5,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 30,
            "totalTokenCount": 155,
        },
        (65, 20, 40, 0, 30),
    ),
    "langchain": (
        {
            "input_tokens": 350,
            "output_tokens": 240,
            "total_tokens": 590,
            "input_token_details": {
                "audio": 10,
                "cache_creation": 200,
                "cache_read": 100,
            },
            "output_token_details": {"audio": 10, "reasoning": 200},
        },
        (50, 40, 100, 200, 200),
    ),
    "pi": (
        {
            "input": 10,
            "output": 20,
            "cacheRead": 30,
            "cacheWrite": 40,
            "cost": {"total": 1},
        },
        (10, 20, 30, 40, 0),
    ),
    "araliya": (
        {"input_tokens": 1000, "output_tokens": 500, "cached_input_tokens": 400},
        (1000, 500, 400, 0, 0),
    ),
}
AI_SDK = [
    ({"promptTokens": 10, "completionTokens": 4}, (10, 4, 0, 0, 0)),
    (
        {
            "inputTokens": 10,
            "outputTokens": 4,
            "reasoningTokens": 1,
            "cachedInputTokens": 6,
        },
        (4, 3, 6, 0, 1),
    ),
    (
        {
            "inputTokens": 10,
            "inputTokenDetails": {"cacheReadTokens": 6, "cacheWriteTokens": 1},
            "outputTokens": 4,
            "outputTokenDetails": {"textTokens": 3, "reasoningTokens": 1},
        },
        (3, 3, 6, 1, 1),
    ),
    (
        {
            "inputTokens": {"total": 10, "noCache": 3, "cacheRead": 6, "cacheWrite": 1},
            "outputTokens": {"total": 4, "text": 3, "reasoning": 1},
        },
        (3, 3, 6, 1, 1),
    ),
]


@pytest.mark.parametrize(
    ("name", "usage", "expected"),
    [(name, *case) for name, case in CASES.items()]
    + [("ai-sdk", *case) for case in AI_SDK]
    + [("workers-ai", *CASES["openai-chat"])],
)
def test_a_providers_account_becomes_disjoint_buckets(name, usage, expected):
    found = read_usage(name, usage)

    assert found.tokens == dict(zip(BUCKETS, expected, strict=True))
    assert found.clamped == []
    assert found.cache_write_1h_tokens == (200 if name == "anthropic" else 0)


def test_every_format_has_a_reader():
    assert FORMATS.keys() <= USAGES.keys()


def test_gemini_in_snake_case_and_deepseek():
    snake = {"prompt_token_count": 9, "cached_content_token_count": 4}
    deepseek = {"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}

    assert read_usage("gemini", snake).tokens["input_tokens"] == 5
    assert read_usage("openai-chat", deepseek).tokens["input_tokens"] == 5


def test_our_own_shape_is_taken_in_every_format():
    usage = {"input_tokens": 5, "cache_read_tokens": 7}

    for name in USAGES:
        assert read_usage(name, usage).tokens["input_tokens"] == 5


def test_less_than_nothing_is_nothing_and_flagged():
    usage = {"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 7}}

    found = read_usage("openai-chat", usage)

    assert found.tokens["input_tokens"] == 0
    assert found.clamped == ["input_tokens"]


def test_nothing_is_no_tokens():
    for usage in ({}, {"prompt_tokens": None, "prompt_tokens_details": None}):
        assert set(read_usage("openai-chat", usage).tokens.values()) == {0}


@pytest.mark.parametrize("value", ["5", True, 1.5, [], 10**13])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(Invalid) as refusal:
        read_usage("openai-chat", {"prompt_tokens": value})

    assert refusal.value.details["field"] == "usage.prompt_tokens"


def test_what_is_no_usage_is_refused():
    with pytest.raises(Invalid):
        read_usage("openai-chat", [1])
    with pytest.raises(Invalid):
        read_usage("cobol", {"words": 1})


def test_what_langchain_says_of_anthropics_cache():
    usage = {
        "input_tokens": 1000,
        "output_tokens": 5,
        "input_token_details": {
            "cache_read": 100,
            "cache_creation": 0,
            "ephemeral_5m_input_tokens": 300,
            "ephemeral_1h_input_tokens": 200,
        },
    }

    found = read_usage("langchain", usage)

    assert found.tokens["input_tokens"] == 400
    assert found.tokens["cache_write_tokens"] == 500
    assert found.cache_write_1h_tokens == 200


def test_our_own_buckets_may_say_what_was_written_for_an_hour():
    ours = {"cache_write_tokens": 7, "cache_write_1h_tokens": 3}

    found = read_usage("anything", ours)

    assert found.counts == dict.fromkeys(BUCKETS, 0) | ours
    # No more is written for an hour than is written.
    assert read_usage("x", {"cache_write_1h_tokens": 3}).cache_write_1h_tokens == 0
