"""Messages of the AI SDK's version 4, given back to it, or as today's to all others."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sessions_app.errors import Invalid
from sessions_app.formats import get_format
from tests.sessions_app.formats.format_checks import check

USER: dict[str, Any] = {"id": "u", "role": "user", "content": "Ask", "parts": []}
USER["parts"] = [{"type": "text", "text": "Ask"}]
CALL = {
    "state": "result",
    "toolCallId": "c1",
    "toolName": "look",
    "args": {"a": 1},
    "result": "Seen",
}
DETAILS = [
    {"type": "text", "text": "Hm", "signature": "sig"},
    {"type": "redacted", "data": "enc"},
]
SOURCE = {"sourceType": "url", "id": "s1", "url": "https://example.com", "title": "T"}
ANSWER = {
    "id": "a",
    "role": "assistant",
    "content": "Done.",
    "parts": [
        {"type": "step-start"},
        {"type": "reasoning", "reasoning": "Hm", "details": DETAILS},
        {"type": "tool-invocation", "toolInvocation": CALL},
        {"type": "step-start"},
        {"type": "source", "source": SOURCE},
        {"type": "file", "mimeType": "image/png", "data": "iVBORw0KGgo="},
        {"type": "text", "text": "Done."},
    ],
}
NEW = {"id": "n", "role": "user", "parts": [{"type": "text", "text": "More"}]}


def stored(*messages):
    return get_format("ai-sdk").parse(copy.deepcopy(list(messages)))


def test_parts_are_read_in_their_order():
    kinds = [part["type"] for part in stored(ANSWER)[0]["parts"]]
    chat = get_format("openai-chat").render(stored(USER, ANSWER, NEW), None)
    claude = get_format("anthropic").render(stored(USER, ANSWER, NEW), None)

    assert kinds == [
        "step-start",
        "reasoning",
        "reasoning",
        "tool-look",
        "step-start",
        "source-url",
        "file",
        "text",
    ]
    roles = [each["role"] for each in chat.messages]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    blocks = claude.messages[1]["content"]
    assert [each["type"] for each in blocks] == [
        "thinking",
        "redacted_thinking",
        "tool_use",
    ]
    check("openai-chat", chat.messages)
    check("anthropic", claude.messages)


def test_calls_beside_the_parts_are_read_once():
    message = {**ANSWER, "toolInvocations": [CALL]}
    without = {**message, "parts": [{"type": "text", "text": "Done."}]}

    for each in (message, without):
        calls = [p for p in stored(each)[0]["parts"] if p["type"] == "tool-look"]
        assert len(calls) == 1


def test_a_page_of_version_4_gets_its_own_back():
    rendered = get_format("ai-sdk").render(stored(USER, ANSWER), None)

    assert (rendered.messages, rendered.repairs) == ([USER, ANSWER], [])


@pytest.mark.parametrize("name", ["ai-sdk", "ai-sdk-model"])
def test_a_page_of_today_gets_todays(name):
    rendered = get_format(name).render(stored(USER, ANSWER, NEW), None)

    check(name, rendered.messages)
    assert "toolInvocation" not in str(rendered.messages)
    assert rendered.repairs == []


def test_what_was_stored_as_it_is_can_be_read():
    """Without a format nothing is converted when it is written."""
    messages: list[Any] = [NEW, copy.deepcopy(ANSWER)]

    chat = get_format("openai-chat").render(messages, None).messages

    check("openai-chat", chat)
    assert chat[1]["tool_calls"][0]["function"] == {
        "name": "look",
        "arguments": '{"a":1}',
    }
    assert chat[2]["content"] == "Seen"


def test_model_messages_become_todays():
    call = {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "args": {"a": 1}}
    result = {"type": "tool-result", "toolCallId": "c1", "toolName": "f", "result": 2}
    image = {"type": "image", "image": "iVBORw0KGgo=", "mimeType": "image/png"}
    raw = [
        {"role": "user", "content": [image]},
        {"role": "assistant", "content": [call]},
        {"role": "tool", "content": [result]},
    ]

    messages = get_format("ai-sdk-model").parse(raw)
    printed = get_format("ai-sdk-model").render(messages, None).messages

    check("ai-sdk-model", printed)
    assert printed[0]["content"][0]["mediaType"] == "image/png"
    assert printed[1]["content"][0]["input"] == {"a": 1}
    assert printed[2]["content"][0]["output"] == {"type": "json", "value": 2}


@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"type": "tool-invocation"}, "toolInvocation"),
        ({"type": "tool-invocation", "toolInvocation": {}}, "toolInvocation.toolName"),
        ({"type": "source", "source": 1}, "source"),
        ({"type": "file", "data": 1}, "mimeType"),
        ({"type": "reasoning", "reasoning": None}, "reasoning"),
    ],
)
def test_refusals_name_the_field(part, field):
    with pytest.raises(Invalid) as refusal:
        stored({**ANSWER, "parts": [part]})

    assert refusal.value.details["field"] == f"messages[0].parts[0].{field}"
