"""
A conversation of each dialect, as its provider's documentation shows it, with fields
that we know nothing of; and a whole response of its model.
"""

from __future__ import annotations

from typing import Any

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
    "DwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DATA_URL = f"data:image/png;base64,{PIXEL}"
PARIS = '{"location": "Paris, France"}'

OPENAI_CHAT: list[Any] = [
    {"role": "developer", "content": "You are helpful."},
    {
        "role": "user",
        "name": "ada",
        "content": [
            {"type": "text", "text": "What is the weather here?"},
            {"type": "image_url", "image_url": {"url": DATA_URL, "detail": "low"}},
            {"type": "file", "file": {"file_id": "file-6F2ksmvXxt4VdoqmHRw6kL"}},
        ],
    },
    {
        "role": "assistant",
        "content": None,
        "refusal": None,
        "annotations": [],
        "reasoning_content": "I should look.",
        "tool_calls": [
            {
                "id": "call_12345xyz",
                "type": "function",
                "function": {"name": "get_weather", "arguments": PARIS},
            },
            {
                "id": "call_67890abc",
                "type": "function",
                "function": {"name": "get_time", "arguments": "{}"},
            },
        ],
    },
    {"role": "tool", "tool_call_id": "call_12345xyz", "content": "14"},
    {
        "role": "tool",
        "tool_call_id": "call_67890abc",
        "content": [{"type": "text", "text": "noon"}],
    },
    {"role": "assistant", "content": "14 degrees, at noon."},
]

OPENAI_RESPONSES: list[Any] = [
    {"role": "user", "content": "What is the weather in Paris?"},
    {
        "id": "rs_1",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "I should look."}],
        "encrypted_content": "gAAAAAB=",
    },
    {
        "type": "function_call",
        "id": "fc_12345xyz",
        "call_id": "call_12345xyz",
        "name": "get_weather",
        "arguments": PARIS,
        "status": "completed",
    },
    {"type": "function_call_output", "call_id": "call_12345xyz", "output": "14"},
    {
        "id": "ws_67c9fa0502748190b7dd390736892e100be649c1a5ff9609",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "query": "paris weather", "queries": []},
    },
    {
        "id": "msg_67c9fa077e288190af08fdffda2e34f20be649c1a5ff9609",
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "14 degrees.", "annotations": []}],
    },
    {
        "type": "message",
        "role": "user",
        "content": [
            {"type": "input_text", "text": "And in this picture?"},
            {"type": "input_image", "image_url": DATA_URL, "detail": "auto"},
        ],
    },
]

ANTHROPIC: list[Any] = [
    {"role": "user", "content": "What is the weather like in San Francisco?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "I should look.", "signature": "EqQBCgIY"},
            {"type": "text", "text": "Let me see.", "citations": None},
            {
                "type": "tool_use",
                "id": "toolu_01A09q90qw90lq917835lq9",
                "name": "get_weather",
                "input": {"location": "San Francisco, CA", "unit": "celsius"},
            },
            {
                "type": "tool_use",
                "id": "toolu_02",
                "name": "get_map",
                "input": {},
            },
        ],
    },
    {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "toolu_01A09q90qw90lq917835lq9",
                "content": "15 degrees",
            },
            {
                "type": "tool_result",
                "tool_use_id": "toolu_02",
                "content": [
                    {"type": "text", "text": "the map"},
                    {
                        "type": "image",
                        "source": {
                            "type": "base64",
                            "media_type": "image/png",
                            "data": PIXEL,
                        },
                    },
                ],
                "is_error": False,
            },
            {
                "type": "text",
                "text": "Go on.",
                "cache_control": {"type": "ephemeral"},
            },
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "It is 15 degrees."}]},
]

GEMINI: list[Any] = [
    {"role": "user", "parts": [{"text": "What is the temperature in London?"}]},
    {
        "role": "model",
        "parts": [
            {"text": "I should look.", "thought": True},
            {
                "functionCall": {"name": "get_weather", "args": {"location": "London"}},
                "thoughtSignature": "c2lnbmF0dXJl",
            },
            {"functionCall": {"name": "get_weather", "args": {"location": "Paris"}}},
        ],
    },
    {
        "role": "user",
        "parts": [
            {
                "functionResponse": {
                    "name": "get_weather",
                    "response": {"temperature": 25, "unit": "C"},
                }
            },
            {"functionResponse": {"name": "get_weather", "response": {"output": 24}}},
        ],
    },
    {
        "role": "model",
        "parts": [
            {"executableCode": {"language": "PYTHON", "code": "print(25)"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "25"}},
            {"text": "25 degrees in London."},
        ],
    },
    {
        "role": "user",
        "parts": [
            {"text": "And here?"},
            {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
        ],
    },
]

AI_SDK: list[Any] = [
    {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "Weather?"}]},
    {
        "id": "a1",
        "role": "assistant",
        "metadata": {"custom": 1},
        "parts": [
            {"type": "step-start"},
            {"type": "reasoning", "text": "I should look.", "state": "done"},
            {
                "type": "tool-getWeather",
                "toolCallId": "call_1",
                "state": "output-available",
                "input": {"city": "Paris"},
                "output": {"temperature": 14.0},
                "somethingNew": True,
            },
            {
                "type": "dynamic-tool",
                "toolName": "getTime",
                "toolCallId": "call_2",
                "state": "output-error",
                "input": {},
                "errorText": "no clock",
            },
            {"type": "step-start"},
            {"type": "text", "text": "14 degrees.", "state": "done"},
            {"type": "source-url", "sourceId": "s1", "url": "https://example.com"},
            {"type": "data-weather", "id": "d1", "data": {"shown": True}},
            {"type": "from-the-future", "value": 1},
        ],
    },
    {
        "id": "u2",
        "role": "user",
        "parts": [
            {"type": "file", "mediaType": "image/png", "url": DATA_URL},
            {"type": "text", "text": "And here?"},
        ],
    },
]

AI_SDK_MODEL: list[Any] = [
    {"role": "user", "content": "Weather?"},
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "I should look."},
            {"type": "text", "text": "Let me see."},
            {
                "type": "tool-call",
                "toolCallId": "call_1",
                "toolName": "getWeather",
                "input": {"city": "Paris"},
                "providerOptions": {"google": {"thoughtSignature": "c2ln"}},
            },
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "call_1",
                "toolName": "getWeather",
                "output": {"type": "json", "value": {"temperature": 14}},
            }
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "And here?"},
            {"type": "image", "image": DATA_URL, "mediaType": "image/png"},
            {
                "type": "file",
                "data": "https://example.com/a.pdf",
                "mediaType": "application/pdf",
            },
        ],
    },
]

WORKERS_AI: list[Any] = [
    {"role": "system", "content": "You are a friendly assistant"},
    {"role": "user", "content": "What is the weather in London?"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"name": "getWeather", "arguments": {"city": "London"}}],
    },
    {"role": "tool", "name": "getWeather", "content": '{"temperature": 25}'},
    {"role": "assistant", "content": "25 degrees."},
]

LANGCHAIN: list[Any] = [
    {"type": "system", "data": {"content": "You are helpful.", "type": "system"}},
    {
        "type": "human",
        "data": {
            "content": [
                {"type": "text", "text": "Weather?"},
                {"type": "image", "base64": PIXEL, "mime_type": "image/png"},
            ],
            "additional_kwargs": {},
            "response_metadata": {},
            "type": "human",
            "name": None,
            "id": "h1",
        },
    },
    {
        "type": "ai",
        "data": {
            "content": "",
            "additional_kwargs": {
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": PARIS},
                    }
                ]
            },
            "response_metadata": {
                "model_name": "gpt-4o",
                "finish_reason": "tool_calls",
            },
            "type": "ai",
            "id": "run-1",
            "tool_calls": [
                {
                    "name": "weather",
                    "args": {"location": "Paris, France"},
                    "id": "call_1",
                    "type": "tool_call",
                }
            ],
            "invalid_tool_calls": [],
            "usage_metadata": None,
        },
    },
    {
        "type": "tool",
        "data": {
            "content": "14",
            "type": "tool",
            "name": "weather",
            "id": "t1",
            "tool_call_id": "call_1",
            "artifact": None,
            "status": "success",
        },
    },
    {"type": "ai", "data": {"content": "14 degrees.", "type": "ai", "id": "run-2"}},
]

SAMPLES: dict[str, list[Any]] = {
    "ai-sdk": AI_SDK,
    "ai-sdk-model": AI_SDK_MODEL,
    "openai-chat": OPENAI_CHAT,
    "openai-responses": OPENAI_RESPONSES,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "workers-ai": WORKERS_AI,
    "langchain": LANGCHAIN,
    "raw": AI_SDK,
}

# A whole response, and what is to be read from it: text, model, id, stop reason.
RESPONSES: dict[
    str, tuple[dict[str, Any], tuple[str, str | None, str | None, str | None]]
] = {
    "ai-sdk": (
        {
            "id": "msg-9",
            "role": "assistant",
            "metadata": {
                "model": "gpt-5",
                "usage": {"inputTokens": 9, "outputTokens": 2},
            },
            "parts": [{"type": "text", "text": "Hello"}],
        },
        ("Hello", "gpt-5", "msg-9", None),
    ),
    "ai-sdk-model": (
        {
            "text": "Hello",
            "finishReason": "stop",
            "usage": {"inputTokens": 9, "outputTokens": 2, "totalTokens": 11},
            "response": {
                "id": "chatcmpl-7",
                "modelId": "gpt-5",
                "messages": [
                    {
                        "role": "assistant",
                        "content": [{"type": "text", "text": "Hello"}],
                    }
                ],
            },
        },
        ("Hello", "gpt-5", "chatcmpl-7", "stop"),
    ),
    "openai-chat": (
        {
            "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
            "object": "chat.completion",
            "created": 1741569952,
            "model": "gpt-4.1-2025-04-14",
            "choices": [
                {
                    "index": 0,
                    "message": {
                        "role": "assistant",
                        "content": "Hello",
                        "refusal": None,
                        "annotations": [],
                    },
                    "logprobs": None,
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
        },
        (
            "Hello",
            "gpt-4.1-2025-04-14",
            "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
            "stop",
        ),
    ),
    "openai-responses": (
        {
            "id": "resp_67ccd2bed1ec8190b14f964abc054267",
            "object": "response",
            "status": "completed",
            "incomplete_details": None,
            "model": "gpt-4.1-2025-04-14",
            "output": [
                {
                    "type": "message",
                    "id": "msg_67ccd2bf17f0819081ff3bb2cf6508e6",
                    "status": "completed",
                    "role": "assistant",
                    "content": [
                        {"type": "output_text", "text": "Hello", "annotations": []}
                    ],
                }
            ],
            "usage": {"input_tokens": 9, "output_tokens": 2, "total_tokens": 11},
        },
        (
            "Hello",
            "gpt-4.1-2025-04-14",
            "resp_67ccd2bed1ec8190b14f964abc054267",
            "completed",
        ),
    ),
    "anthropic": (
        {
            "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": "Hello", "citations": None}],
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 2},
        },
        ("Hello", "claude-sonnet-4-5", "msg_013Zva2CMHLNnXjNJJKqJ2EF", "end_turn"),
    ),
    "gemini": (
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": "Hello"}], "role": "model"},
                    "finishReason": "STOP",
                    "index": 0,
                }
            ],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2},
            "modelVersion": "gemini-2.5-flash",
            "responseId": "mAZ3aeTDJ",
        },
        ("Hello", "gemini-2.5-flash", "mAZ3aeTDJ", "STOP"),
    ),
    "workers-ai": (
        {
            "result": {
                "response": "Hello",
                "usage": {"prompt_tokens": 9, "completion_tokens": 2},
            },
            "success": True,
        },
        ("Hello", None, None, None),
    ),
    "langchain": (
        {
            "type": "ai",
            "data": {
                "content": "Hello",
                "type": "ai",
                "id": "run-9",
                "response_metadata": {"model_name": "gpt-4o", "finish_reason": "stop"},
                "usage_metadata": {
                    "input_tokens": 9,
                    "output_tokens": 2,
                    "total_tokens": 11,
                },
            },
        },
        ("Hello", "gpt-4o", "run-9", "stop"),
    ),
    "raw": (
        {"id": "m9", "role": "assistant", "parts": [{"type": "text", "text": "Hello"}]},
        ("Hello", None, "m9", None),
    ),
}
