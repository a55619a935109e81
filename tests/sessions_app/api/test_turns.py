from __future__ import annotations

import copy
from typing import Any

import pytest

from sessions_app.formats import FORMATS
from sessions_app.models import Usage
from tests.api import counts, refusal
from tests.builders import head, say, seen, talk
from tests.sessions_app.formats.format_samples import RESPONSES, SAMPLES

URL = "/sessions/trip/turns"
HELLO = {"id": "q", "role": "user", "content": "Hello"}
ANSWER = {"id": "a", "role": "assistant", "content": "Hi"}
TURN = {"messages": [HELLO, ANSWER]}
BIG = 123456789012345678901234567890

# A provider's own account, and what it comes to in our buckets: input, output, cache
# read, cache write, reasoning.
CHAT = {
    "prompt_tokens": 1200,
    "completion_tokens": 90,
    "total_tokens": 1290,
    "prompt_tokens_details": {"cached_tokens": 1000, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 30},
}
UI = {
    "inputTokens": 1200,
    "outputTokens": 90,
    "totalTokens": 1290,
    "inputTokenDetails": {"cacheReadTokens": 1000, "cacheWriteTokens": 50},
    "outputTokenDetails": {"reasoningTokens": 30},
}
USAGES: dict[str, tuple[dict[str, Any], list[int]]] = {
    "openai-chat": (CHAT, [200, 60, 1000, 0, 30]),
    "workers-ai": (CHAT, [200, 60, 1000, 0, 30]),
    "openai-responses": (
        {
            "input_tokens": 1200,
            "input_tokens_details": {"cached_tokens": 1000},
            "output_tokens": 90,
            "output_tokens_details": {"reasoning_tokens": 30},
            "total_tokens": 1290,
        },
        [200, 60, 1000, 0, 30],
    ),
    "anthropic": (
        {
            "input_tokens": 150,
            "cache_creation_input_tokens": 50,
            "cache_read_input_tokens": 1000,
            "cache_creation": {
                "ephemeral_5m_input_tokens": 50,
                "ephemeral_1h_input_tokens": 0,
            },
            "output_tokens": 90,
            "service_tier": "standard",
        },
        [150, 90, 1000, 50, 0],
    ),
    "gemini": (
        {
            "promptTokenCount": 1200,
            "cachedContentTokenCount": 1000,
            "candidatesTokenCount": 60,
            "thoughtsTokenCount": 30,
            "totalTokenCount": 1290,
        },
        [200, 60, 1000, 0, 30],
    ),
    "langchain": (
        {
            "input_tokens": 1200,
            "output_tokens": 90,
            "total_tokens": 1290,
            "input_token_details": {"cache_read": 1000, "cache_creation": 50},
            "output_token_details": {"reasoning": 30},
        },
        [150, 60, 1000, 50, 30],
    ),
    "ai-sdk": (UI, [150, 60, 1000, 50, 30]),
    "ai-sdk-model": (UI, [150, 60, 1000, 50, 30]),
    "raw": (UI, [150, 60, 1000, 50, 30]),
}
BUCKETS = ("input", "output", "cache_read", "cache_write", "reasoning")
# Where a response keeps its usage.
PLACES = {
    "gemini": ["usageMetadata"],
    "workers-ai": ["result", "usage"],
    "langchain": ["data", "usage_metadata"],
    "ai-sdk": ["metadata", "usage"],
    "raw": ["metadata", "usage"],
}


@pytest.fixture(autouse=True)
def _session(session):
    return session


def buckets(usage):
    return [usage[f"{name}_tokens"] for name in BUCKETS]


def response_of(name: str) -> dict[str, Any]:
    """Return a whole response of a provider, with a detailed usage."""
    response = copy.deepcopy(RESPONSES[name][0])
    *path, last = PLACES.get(name, ["usage"])
    place = response
    for step in path:
        place = place.setdefault(step, {})
    place[last] = USAGES[name][0]
    return response


def test_it_works(api, session):
    usage = {"input_tokens": 9, "output_tokens": 2, "model": "m1"}

    response = api.post(URL, TURN | {"usage": usage})

    assert response.status_code == 201
    turn = response.json()
    assert [item["status"] for item in turn["items"]] == ["created"] * 2
    assert (turn["head"], turn["compaction"]) == ("a", None)
    assert buckets(turn["usage"]) == [9, 2, 0, 0, 0]
    assert turn["usage"]["message"] == "a"
    assert turn["usage"]["created_at"].endswith("Z")
    assert seen(session) == "q a"
    totals = api.get("/sessions/trip").json()["usage"]
    assert (totals["input_tokens"], totals["unpriced"]) == (9, 1)
    listed = api.get("/sessions/trip/usage").json()["items"]
    assert listed == [turn["usage"]]


@pytest.mark.parametrize("name", FORMATS)
def test_messages_come_in_every_format(api, name):
    usage, expected = USAGES[name]
    body = {"format": name, "messages": SAMPLES[name], "usage": usage}

    response = api.post(URL, body)

    assert response.status_code == 201
    row = response.json()["usage"]
    assert buckets(row) == expected
    assert (row["provider"], row["raw"]) == (name, usage)
    context = api.get("/sessions/trip/context", format=name).json()
    assert context["messages"] == SAMPLES[name]


@pytest.mark.parametrize("name", FORMATS)
def test_a_whole_response_comes_in_every_format(api, name):
    api.post(URL, {"messages": [HELLO]})
    _, (text, model, uid, _) = RESPONSES[name]

    response = api.post(URL, {"format": name, "response": response_of(name)})

    assert response.status_code == 201
    (item,) = response.json()["items"]
    row = response.json()["usage"]
    assert item["id"] == row["message"]
    assert uid in (None, item["id"])
    assert (row["model"], row["response_id"]) == (model or "", uid)
    assert (row["provider"], row["raw"]) == (name, USAGES[name][0])
    assert buckets(row) == USAGES[name][1]
    (_, answer) = api.get("/sessions/trip/context").json()["messages"]
    assert [p["text"] for p in answer["parts"] if p["type"] == "text"] == [text]


@pytest.mark.parametrize("name", FORMATS)
def test_a_response_counts_once(api, name):
    body = {"format": name, "response": response_of(name), "expected_head": None}
    first = api.post(URL, body)

    again = api.post(URL, body)

    if RESPONSES[name][1][2] is None:
        # Without an id it cannot be known, but the head tells.
        assert refusal(again) == (409, "head_moved")
    else:
        assert again.status_code == 200
        assert again.json()["usage"] == first.json()["usage"]
        assert [item["status"] for item in again.json()["items"]] == ["existing"]
    assert Usage.objects.count() == 1


def test_a_short_usage_of_a_provider_is_kept_as_it_came(api):
    response = RESPONSES["anthropic"][0]

    row = api.post(URL, {"format": "anthropic", "response": response}).json()["usage"]

    assert (row["provider"], row["raw"]) == ("anthropic", response["usage"])


def test_our_own_usage_may_come_with_a_response(api):
    response = RESPONSES["openai-chat"][0]
    usage = {"input_tokens": 5, "cost_usd": 0.5, "provider": "mine", "purpose": "title"}
    body = {"format": "openai-chat", "response": response, "usage": usage}

    row = api.post(URL, body).json()["usage"]

    assert buckets(row) == [5, 0, 0, 0, 0]
    assert (row["cost_usd"], row["provider"], row["purpose"]) == (0.5, "mine", "title")
    assert (row["model"], row["response_id"]) == (response["model"], response["id"])


def test_a_providers_usage_may_name_the_model_and_the_response(api):
    said = {
        "model": "gpt-4.1",
        "response_id": "r1",
        "provider": "azure",
        "cost_usd": 0.1,
    }
    body = {"format": "openai-chat", "messages": [{"role": "user", "content": "Hi"}]}

    first = api.post(URL, body | {"usage": CHAT | said}).json()["usage"]
    again = api.post(URL, body | {"usage": CHAT | said}).json()["usage"]

    assert {field: first[field] for field in said} == said
    assert buckets(first) == [200, 60, 1000, 0, 30]
    assert first["raw"] == CHAT
    assert again == first
    assert Usage.objects.count() == 1


def test_usage_belongs_to_the_last_answer_of_the_turn(api):
    messages = [
        HELLO,
        ANSWER,
        {"id": "b", "role": "assistant", "content": "Again"},
        {"id": "r", "role": "tool", "content": "14"},
    ]
    usage = {"input_tokens": 1}

    row = api.post(URL, {"messages": messages, "usage": usage}).json()["usage"]
    other = api.post(URL, {"messages": [{**HELLO, "id": "q2"}], "usage": usage}).json()

    assert row["message"] == "b"
    assert other["usage"]["message"] is None


def test_usage_may_name_its_message(api):
    usage = {"input_tokens": 1, "message": "q"}

    assert api.post(URL, TURN | {"usage": usage}).json()["usage"]["message"] == "q"
    usage = {"input_tokens": 1, "message": "nowhere"}
    body = {"messages": [{**HELLO, "id": "q2"}], "usage": usage}
    assert refusal(api.post(URL, body)) == (404, "not_found")


def test_a_turn_without_usage(api):
    nothing: tuple[Any, ...] = (None, {})
    for usage in nothing:
        response = api.post(URL, TURN | {"usage": usage})

        assert response.json()["usage"] is None
    assert Usage.objects.count() == 0


def test_a_retried_turn_changes_nothing(api, session):
    body = TURN | {"usage": {"input_tokens": 9}, "expected_head": None}
    api.post(URL, body)
    before = counts()

    again = api.post(URL, body)

    assert again.status_code == 200
    assert [item["status"] for item in again.json()["items"]] == ["existing"] * 2
    assert again.json()["usage"] is None
    assert counts() == before
    assert api.get("/sessions/trip").json()["usage"]["input_tokens"] == 9


def test_a_key_makes_any_turn_safe_to_retry(api):
    body = {
        "messages": [{"role": "user", "content": "Hi"}],
        "usage": {"input_tokens": 9},
    }

    first = api.post(URL, body, idempotency_key="k1")
    again = api.post(URL, body, idempotency_key="k1")

    assert again.json() == first.json()
    assert Usage.objects.count() == 1


def test_a_turn_follows_a_given_parent(api, session):
    talk(session, "q a")
    response = RESPONSES["openai-chat"][0]

    api.post(URL, {"format": "openai-chat", "response": response, "parent": "q"})

    assert head(session) == response["id"]
    assert seen(session) == f"q {response['id']}"
    assert seen(session, "a") == "q a"


def test_an_echo_of_a_compaction_is_dropped(api, session):
    echo = {"id": "compaction_1", "role": "assistant", "parts": []}
    body = {"messages": [HELLO, echo], "usage": {"input_tokens": 1}}

    turn = api.post(URL, body).json()

    assert [item["status"] for item in turn["items"]] == ["created", "dropped"]
    assert turn["usage"]["message"] is None
    assert seen(session) == "q"


def chat(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {
        "format": "openai-chat",
        "response": {
            "id": "chatcmpl-7",
            "model": "m",
            "choices": [choice],
            "usage": CHAT,
        },
    }


def test_another_answer_with_the_id_of_an_earlier_one_is_kept(api, session):
    """As Ollama makes them, which has no more than a thousand."""
    api.post(URL, chat("One"))

    second = api.post(URL, chat("Two"))
    again = api.post(URL, chat("Two"))

    assert (second.status_code, again.status_code) == (201, 200)
    uid = second.json()["items"][0]["id"]
    assert uid.startswith("chatcmpl-7_")
    assert second.json()["usage"]["response_id"] == uid
    assert again.json()["usage"] == second.json()["usage"]
    context = api.get("/sessions/trip/context", format="openai-chat").json()
    assert [each["content"] for each in context["messages"]] == ["One", "Two"]
    assert seen(session) == f"chatcmpl-7 {uid}"
    assert Usage.objects.count() == 2


def test_large_numbers_come_back_whole(api):
    usage = {"input_tokens": 1, "provider": "mine", "raw": {"n": BIG}}

    row = api.post(URL, TURN | {"usage": usage}).json()["usage"]

    assert row["raw"] == {"n": BIG}
    usage = {**CHAT, "n": BIG}
    body = {"format": "openai-chat", "messages": [{"role": "user", "content": "x"}]}
    assert api.post(URL, body | {"usage": usage}).json()["usage"]["raw"] == usage


def test_it_needs_a_key(anonymous):
    assert refusal(anonymous.post(URL, TURN)) == (401, "unauthenticated")


def test_another_agents_session_does_not_exist(stranger_api):
    assert refusal(stranger_api.post(URL, TURN)) == (404, "not_found")


@pytest.mark.parametrize(
    ("usage", "field"),
    [
        ("9", "usage"),
        ([], "usage"),
        (0, "usage"),
        (False, "usage"),
        ({"input_tokens": -1}, "usage.input_tokens"),
        ({"input_tokens": "9"}, "usage.input_tokens"),
        ({"prompt_tokens": "9"}, "usage.prompt_tokens"),
        ({"prompt_tokens": 1.5}, "usage.prompt_tokens"),
        ({"prompt_tokens": 10**13}, "usage.prompt_tokens"),
        ({"input_tokens": 1, "cost_usd": -1}, "usage.cost_usd"),
        ({"input_tokens": 1, "raw": 1}, "usage.raw"),
        ({"prompt_tokens": 1, "model": 1}, "usage.model"),
    ],
)
def test_nothing_is_written_when_the_usage_is_bad(api, usage, field):
    before = counts()
    body = {
        "format": "openai-chat",
        "messages": [{"role": "user", "content": "Hi"}],
        "usage": usage,
    }

    response = api.post(URL, body)

    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["field"] == field
    assert counts() == before


def test_nothing_is_written_when_the_head_has_moved(api, session):
    talk(session, "x y")
    before = counts()
    usage = {"input_tokens": 9}

    response = api.post(URL, TURN | {"usage": usage, "expected_head": "x"})

    assert refusal(response) == (409, "head_moved")
    assert counts() == before
    branch = TURN | {"usage": usage, "expected_head": "x", "on_conflict": "branch"}
    assert api.post(URL, branch).status_code == 201
    assert seen(session) == "x q a"


@pytest.mark.parametrize(
    ("body", "code", "field"),
    [
        ({}, "invalid", "messages"),
        ({"messages": None, "format": "gemini"}, "invalid", "messages"),
        ({"messages": []}, "invalid", "messages"),
        ({"messages": [HELLO], "response": {}}, "invalid", "messages"),
        ({"response": None}, "invalid", "response"),
        ({"response": [{"type": "message_start"}]}, "invalid", "response"),
        ({"response": "data: {}", "format": "anthropic"}, "invalid", "response"),
        (
            {"messages": [{"role": "user"}], "format": "ai-sdk"},
            "invalid",
            "messages[0].parts",
        ),
        ({"response": {}, "format": "gemini"}, "invalid", "response.candidates"),
        ({"response": {}, "format": "cobol"}, "unknown_format", "format"),
        ({"messages": [HELLO], "format": "cobol"}, "unknown_format", "format"),
        (
            {"messages": [{"role": 1}], "format": "anthropic"},
            "invalid",
            "messages[0].role",
        ),
        (
            b'{"messages": [{"role": "user", "content": "x", "n": 1e999}]}',
            "invalid",
            None,
        ),
    ],
)
def test_it_refuses_what_is_no_turn(api, body, code, field):
    before = counts()

    response = api.post(URL, body)

    assert refusal(response) == (422, code)
    assert field is None or response.json()["error"]["details"]["field"] == field
    assert counts() == before


FRAMES = (
    '{"format": "openai-chat", "messages": [{"role": "user", "content": "x", "n": %s}]}',
    '{"format": "openai-chat", "response": {"choices": [{"message": '
    '{"role": "assistant", "content": "x", "n": %s}}]}}',
    '{"messages": [{"role": "user", "content": "x"}], "usage": {"a": %s}}',
)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    "value",
    ["1e999", '"\\ud800"', f"[{BIG}, 1e999]", "[" * 2000 + "]" * 2000, "NaN"],
)
def test_it_refuses_what_json_cannot_hold(api, frame, value):
    response = api.post(URL, (frame % value).encode())

    assert refusal(response) == (422, "invalid")
    assert Usage.objects.count() == 0


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("depth", "status"), [(50, 201), (200, 201), (300, 422), (600, 422), (900, 422)]
)
def test_what_is_nested_deep_is_kept_or_refused(api, frame, depth, status):
    body = (frame % ("[" * depth + "]" * depth)).encode()

    # However much of the stack has been used by then.
    for used in (0, 150, 300):
        response = called_deep(used, lambda: api.post(URL, body))

        assert response.status_code == status
        if status == 422:
            assert refusal(response) == (422, "invalid")
    assert api.get("/sessions/trip/context").status_code == 200


def called_deep(frames, function):
    return called_deep(frames - 1, function) if frames else function()


def test_a_batch_has_its_limit(api, settings):
    settings.MAX_BATCH = 2
    messages = [{"role": "user", "content": "x"}] * 3

    for body in ({"messages": messages}, {"messages": messages, "format": "gemini"}):
        assert refusal(api.post(URL, body)) == (413, "too_large")


@pytest.mark.parametrize("name", FORMATS)
def test_messages_are_appended_in_every_format(api, name):
    """One by one: a later batch may hold the results of an earlier one's calls."""
    url = "/sessions/trip/messages"
    # It belongs to what follows it, and is sent with that.
    sample = [each for each in SAMPLES[name] if each.get("type") != "reasoning"]

    for message in sample:
        assert api.post(url, {"messages": [message], "format": name}).status_code == 201

    context = api.get("/sessions/trip/context", format=name).json()
    assert context["messages"] == sample
    assert context["repairs"] == []


def test_messages_of_an_unknown_format_are_refused(api, session):
    url = "/sessions/trip/messages"

    assert refusal(api.post(url, {"messages": [HELLO], "format": "cobol"})) == (
        422,
        "unknown_format",
    )
    say(session, "x")
    bad = {"messages": [{"role": "tool"}], "format": "openai-chat"}
    response = api.post(url, bad)
    assert refusal(response) == (422, "invalid")
    assert response.json()["error"]["details"]["field"] == "messages[0].tool_call_id"
