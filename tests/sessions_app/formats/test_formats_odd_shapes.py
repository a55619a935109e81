"""What providers and their SDKs really give, and the next request may not hold as it is."""

from __future__ import annotations

import copy

import orjson
import pytest

from sessions_app.formats import FORMATS, get_format
from tests.sessions_app.formats.format_checks import check

ASK = {"role": "user", "content": "Ask"}
END = {"role": "assistant", "content": "Done."}


def chat_call(**more):
    function = {"name": "look", "arguments": "{}"} | more.pop("function", {})
    return {"id": "c1", "type": "function", "function": function} | more


def asked(*calls, **more):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)} | more


RESULT = {"role": "tool", "tool_call_id": "c1", "content": "Seen"}
SPOKEN = {"id": "audio_1", "data": "aGk=", "expires_at": 1, "transcript": "Hello"}
# A conversation of a dialect, and the message in it that is another in a request.
CHANGED = {
    "no calls": ([ASK, END | {"tool_calls": []}, ASK], 1, END),
    "calls null": ([ASK, END | {"tool_calls": None}, ASK], 1, END),
    "name null": ([ASK | {"name": None}, END], 0, ASK),
    "arguments as an object": (
        [ASK, asked(chat_call(function={"arguments": {"a": 1}})), RESULT, END],
        1,
        asked(chat_call(function={"arguments": '{"a":1}'})),
    ),
    "result null": (
        [ASK, asked(chat_call()), RESULT | {"content": None}, END],
        2,
        RESULT | {"content": ""},
    ),
    "result without a content": (
        [ASK, asked(chat_call()), {"role": "tool", "tool_call_id": "c1"}, END],
        2,
        RESULT | {"content": ""},
    ),
    "call without an id": (
        [
            ASK,
            asked(chat_call(id="")),
            {"role": "tool", "name": "look", "content": "S"},
        ],
        1,
        asked(chat_call(id="call_m1_0")),
    ),
    "spoken": (
        [ASK, {"role": "assistant", "content": None, "audio": SPOKEN}, ASK],
        1,
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
    ),
}


def stored(name, raw):
    messages = get_format(name).parse(copy.deepcopy(raw))
    messages = [{"id": f"m{i}"} | each for i, each in enumerate(messages)]
    return orjson.loads(orjson.dumps(messages))


def render(name, messages):
    rendered = get_format(name).render(messages, None)
    check(name, rendered.messages)
    return rendered


@pytest.mark.parametrize("case", CHANGED)
def test_a_chat_response_becomes_a_request(case):
    raw, place, expected = CHANGED[case]

    rendered = render("openai-chat", stored("openai-chat", raw))

    assert rendered.messages[place] == expected
    assert len(rendered.messages) == len(raw)
    assert rendered.repairs == []


def test_old_calls_of_chat_stay_without_ids():
    function = {"role": "function", "name": "look", "content": "Seen"}
    call = {"role": "assistant", "content": None}
    raw = [ASK, call | {"function_call": {"name": "look", "arguments": "{}"}}, function]

    assert render("openai-chat", stored("openai-chat", raw)).messages == raw


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "raw"])
def test_what_was_spoken_is_read_everywhere(name):
    raw = [ASK, {"role": "assistant", "content": None, "audio": SPOKEN}, ASK]

    rendered = render(name, stored("openai-chat", raw))

    said = "audio_1" if name == "openai-chat" else "Hello"
    assert said in str(rendered.messages)


def test_workers_ai_never_gets_null():
    rendered = render(
        "workers-ai", stored("workers-ai", [ASK, asked(chat_call()), RESULT, END])
    )

    assert rendered.messages[1] == asked(chat_call(), content="")


def test_the_old_role_of_gemini_is_a_users():
    raw = [
        {"role": "user", "parts": [{"text": "Ask"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
        {
            "role": "function",
            "parts": [{"functionResponse": {"name": "look", "response": {"a": 1}}}],
        },
    ]

    messages = render("gemini", stored("gemini", raw)).messages

    assert messages == [*raw[:2], raw[2] | {"role": "user"}]


def test_chunks_of_langchain_are_messages():
    chunk = {"type": "AIMessageChunk", "content": "Done.", "tool_call_chunks": []}
    path = ["langchain", "schema", "messages", "AIMessageChunk"]
    dumped = {"lc": 1, "type": "constructor", "id": path, "kwargs": chunk}
    human = {"type": "human", "content": "Ask"}

    fields = render("langchain", stored("langchain", [human, chunk])).messages
    (read,) = get_format("langchain").parse([dumped])

    assert fields == [human, chunk | {"type": "ai"}]
    assert read["role"] == "assistant"
    assert render("langchain", stored("langchain", [dumped])).messages == [dumped]


def test_calls_of_langchain_have_ids():
    raw = [
        {"type": "human", "content": "Ask"},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"name": "f", "args": {}, "id": None}],
        },
        {"type": "tool", "content": "Seen", "name": "f", "tool_call_id": ""},
    ]

    messages = render("langchain", stored("langchain", raw)).messages

    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"] != ""


def test_a_blocked_prompt_of_gemini_is_a_response():
    """What it took is to be counted."""
    usage = {"promptTokenCount": 4}
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage}

    answer = get_format("gemini").parse_response(blocked)

    assert [each["parts"] for each in answer.messages] == [[]]
    assert (answer.usage, answer.stop_reason) == (usage, "SAFETY")


def test_an_empty_part_of_gemini_is_left_out():
    raw = [{"role": "user", "parts": [{"text": "Ask"}, {"text": None}, {}]}]

    messages = render("gemini", stored("gemini", raw)).messages

    assert messages == [{"role": "user", "parts": [{"text": "Ask"}]}]
