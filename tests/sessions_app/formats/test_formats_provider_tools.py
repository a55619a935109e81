"""Tools that a provider runs itself, or that take a text: whole at home, or not at all."""

from __future__ import annotations

import pytest

from sessions_app.formats import FORMATS, get_format
from tests.sessions_app.formats.format_checks import check

ELSEWHERE = [name for name in FORMATS if name != "raw"]
SHOT = {"type": "computer_screenshot", "image_url": "https://example.com/s.png"}


def stored(name, raw):
    messages = get_format(name).parse(raw)
    return [{"id": f"m{i}"} | each for i, each in enumerate(messages)]


def render(name, messages):
    rendered = get_format(name).render(messages, None)
    check(name, rendered.messages)
    return rendered


AI_SDK_MODEL = [
    {"role": "user", "content": "Search"},
    {
        "role": "assistant",
        "content": [
            {
                "type": "tool-call",
                "toolCallId": "s1",
                "toolName": "search",
                "input": {"q": "x"},
                "providerExecuted": True,
            },
            {
                "type": "tool-result",
                "toolCallId": "s1",
                "toolName": "search",
                "output": {"type": "json", "value": ["found"]},
            },
            {"type": "text", "text": "It is there."},
        ],
    },
]
ANTHROPIC = [
    {"role": "user", "content": "Search"},
    {
        "role": "assistant",
        "content": [
            {
                "type": "server_tool_use",
                "id": "srvtoolu_1",
                "name": "web_search",
                "input": {},
            },
            {
                "type": "web_search_tool_result",
                "tool_use_id": "srvtoolu_1",
                "content": [],
            },
            {"type": "text", "text": "It is there."},
        ],
    },
]
COMPUTER = [
    {"role": "user", "content": "Click"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc"},
    {
        "type": "computer_call",
        "id": "cu_1",
        "call_id": "call_1",
        "action": {"type": "screenshot"},
        "pending_safety_checks": [],
        "status": "completed",
    },
    {"type": "computer_call_output", "call_id": "call_1", "output": SHOT},
    {"role": "assistant", "content": "It is there."},
]
CUSTOM = [
    {"role": "user", "content": "Run"},
    {
        "type": "custom_tool_call",
        "call_id": "call_1",
        "name": "shell",
        "input": "ls -l",
    },
    {"type": "custom_tool_call_output", "call_id": "call_1", "output": "a.txt"},
    {"role": "assistant", "content": "It is there."},
]
SAMPLES = {
    "ai-sdk-model": AI_SDK_MODEL,
    "anthropic": ANTHROPIC,
    "openai-responses": COMPUTER,
    "openai-responses custom": CUSTOM,
}


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("name", ELSEWHERE)
def test_it_is_printed_everywhere(source, name):
    own = source.split()[0]
    messages = stored(own, SAMPLES[source])

    rendered = render(name, messages)

    assert "It is there." in str(rendered.messages)
    if name == own:
        assert rendered.messages == SAMPLES[source]
        assert rendered.repairs == []


def test_a_custom_call_keeps_its_text_in_both_dialects_of_openai():
    messages = stored("openai-responses", CUSTOM)

    chat = render("openai-chat", messages).messages
    again = render("openai-responses", stored("openai-chat", chat)).messages

    assert chat[1]["tool_calls"][0]["custom"] == {"name": "shell", "input": "ls -l"}
    assert again[1:3] == CUSTOM[1:3]


def test_a_screenshot_that_is_missing_is_not_made_up():
    messages = stored("openai-responses", COMPUTER)
    del messages[2]

    rendered = render("openai-responses", messages)

    assert rendered.messages == [COMPUTER[0], COMPUTER[4]]
    assert [each["kind"] for each in rendered.repairs] == [
        "orphan_call_dropped",
        "empty_message",
    ]
