"""
What makes messages valid in a dialect: its vendor's own types, and the rules that types
cannot say - pairs, order, alternation, nothing empty. Written without our renderer.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from typing import Any

import orjson
from anthropic.types import MessageParam
from langchain_core.load import load
from langchain_core.messages import convert_to_messages, messages_from_dict
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

with warnings.catch_warnings():
    # google.genai.types uses what Python and pydantic will drop one day.
    warnings.simplefilter("ignore")
    from google.genai import types as gemini_types

    GEMINI = TypeAdapter(list[gemini_types.Content])

CHAT = TypeAdapter(list[ChatCompletionMessageParam])
RESPONSES = TypeAdapter(list[ResponseInputItemParam])
ANTHROPIC = TypeAdapter(list[MessageParam])


def check(name: str, messages: list[Any]) -> None:
    """Fail where these are no valid messages of this dialect."""
    orjson.dumps(messages)
    CHECKS[name](messages)


def check_openai_chat(messages: list[Any]) -> None:
    CHAT.validate_python(messages, strict=False)
    _force(CHAT, messages)
    check_chat_rules(messages)


def check_chat_rules(messages: list[Any]) -> None:
    waiting: list[str] = []
    legacy = None
    used: set[str] = set()
    for message in messages:
        role = message["role"]
        if role in ("tool", "function"):
            if role == "function":
                assert legacy == message["name"]
                legacy = None
                continue
            uid = message.get("tool_call_id") or message.get("name")
            assert uid in waiting, "a result behind its call, once"
            waiting.remove(uid)
            assert isinstance(message["content"], str | list)
            continue
        assert not waiting, "all results right behind their calls"
        assert legacy is None
        if role == "assistant":
            calls = message.get("tool_calls")
            has = ("content", "function_call", "audio", "refusal")
            assert calls or any(message.get(key) for key in has)
            assert "tool_calls" not in message or calls
            assert message.get("audio") is None or set(message["audio"]) == {"id"}
            if message.get("function_call"):
                legacy = message["function_call"]["name"]
            for call in calls or []:
                uid = call.get("id") or call["name"]
                assert uid not in used or "id" not in call
                used.add(uid)
                waiting.append(uid)
                check_chat_call(call)
        else:
            assert role in ("system", "developer", "user")
            assert message["content"], "content is not empty"
            for part in message["content"]:
                if isinstance(part, dict) and part["type"] == "text":
                    assert part["text"].strip()
    assert not waiting
    assert legacy is None


def check_chat_call(call: dict[str, Any]) -> None:
    if "function" in call:
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", call["function"]["name"])
        assert isinstance(call["function"]["arguments"], str)
        assert len(call["id"]) <= 40


def check_workers_ai(messages: list[Any]) -> None:
    for message in messages:
        assert message["content"] is not None
        assert isinstance(message["content"], str | list)
    check_chat_rules(messages)


def check_openai_responses(messages: list[Any]) -> None:
    RESPONSES.validate_python(messages)
    _force(RESPONSES, messages)
    calls: dict[str, str] = {}
    outputs: set[str] = set()
    for index, item in enumerate(messages):
        kind = item.get("type", "message")
        if kind.endswith("_output"):
            uid = item["id" if kind == "local_shell_call_output" else "call_id"]
            assert uid in calls, "an output behind its call"
            assert uid not in outputs, "and only one"
            outputs.add(uid)
        elif "call_id" in item:
            assert item["call_id"] not in calls
            assert 0 < len(item["call_id"]) <= 64
            calls[item["call_id"]] = kind
        elif kind == "reasoning":
            after = messages[index + 1]
            assert after.get("type", "message") not in ("function_call_output",)
            assert after.get("role", "assistant") == "assistant"
        elif kind == "message":
            assert item["content"]
    assert set(calls) == outputs


def check_anthropic(messages: list[Any]) -> None:
    ANTHROPIC.validate_python(messages)
    _force(ANTHROPIC, messages)
    waiting: list[str] = []
    used: set[str] = set()
    for index, message in enumerate(messages):
        assert message["role"] == ("user", "assistant")[index % 2], (
            "in turn, user first"
        )
        blocks = message["content"]
        assert blocks
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        results = [
            each["tool_use_id"] for each in blocks if each["type"] == "tool_result"
        ]
        if message["role"] == "user":
            assert sorted(results) == sorted(waiting), "all results in the next message"
            kinds = [each["type"] == "tool_result" for each in blocks]
            assert kinds == sorted(kinds, reverse=True), "results first"
            waiting = []
        else:
            assert not results
            waiting = [each["id"] for each in blocks if each["type"] == "tool_use"]
            assert not used & set(waiting)
            assert len(set(waiting)) == len(waiting)
            used |= set(waiting)
            check_thinking([each["type"] for each in blocks])
        check_blocks(blocks)
    assert not waiting
    check_server_tools(messages)
    if messages and messages[-1]["role"] == "assistant":
        last = messages[-1]["content"]
        text = last if isinstance(last, str) else last[-1].get("text", "")
        assert text == text.rstrip()


def check_server_tools(messages: list[Any]) -> None:
    """What Anthropic ran has its result, unless the answer still goes on."""
    asked: set[str] = set()
    for message in messages:
        blocks = message["content"]
        for block in [] if isinstance(blocks, str) else blocks:
            if block["type"] == "server_tool_use":
                asked.add(block["id"])
            elif block["type"].endswith("_tool_result"):
                asked.remove(block["tool_use_id"])
            elif block["type"] == "text" and message["role"] == "user":
                assert not asked
        assert not (asked and isinstance(blocks, str))


def check_blocks(blocks: list[Any]) -> None:
    for block in blocks:
        if block["type"] == "text":
            assert block["text"].strip(), "no empty text"
        elif block["type"] == "tool_use":
            assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", block["id"])
            assert re.fullmatch("[a-zA-Z0-9_-]{1,128}", block["name"])
            assert isinstance(block["input"], dict)
        elif block["type"] == "tool_result" and block.get("is_error"):
            assert block["content"]


def check_thinking(kinds: list[str]) -> None:
    thinks = [kind in ("thinking", "redacted_thinking") for kind in kinds]
    assert thinks == sorted(thinks, reverse=True), "thinking first"
    assert not thinks[-1], "never last"


def check_gemini(messages: list[Any]) -> None:
    GEMINI.validate_python(messages)
    calls: list[tuple[str, str | None]] = []
    for index, content in enumerate(messages):
        assert content["role"] == ("user", "model")[index % 2]
        parts = content["parts"]
        assert parts
        for part in parts:
            assert len({*part} - {"thought", "thoughtSignature"}) == 1
        found = [
            part["functionResponse"] for part in parts if "functionResponse" in part
        ]
        answers = [(each["name"], each.get("id")) for each in found]
        assert all(isinstance(each["response"], dict) for each in found)
        if content["role"] == "user":
            assert answers == calls, "same count, same order"
            calls = []
        else:
            assert not answers
            asked = [part["functionCall"] for part in parts if "functionCall" in part]
            calls = [(each["name"], each.get("id")) for each in asked]
            assert all(isinstance(each["args"], dict) for each in asked)
    assert not calls


def check_langchain(messages: list[Any]) -> None:
    """Each form by its own reader, and all as the chat rules want them."""
    found = [read_langchain(each) for each in messages]
    chat = []
    for place, message in enumerate(found):
        if message.type == "system":
            assert all(each.type == "system" for each in found[:place]), "in front"
            chat.append({"role": "system", "content": message.content})
        elif message.type == "human":
            chat.append({"role": "user", "content": message.content})
        elif message.type == "tool":
            uid = {"tool_call_id": message.tool_call_id}
            chat.append({"role": "tool", "content": message.content, **uid})
        else:
            calls = [{"id": each["id"]} for each in message.tool_calls]
            calls += [{"id": each["id"]} for each in message.invalid_tool_calls]
            more = {"tool_calls": calls} if calls else {}
            chat.append({"role": "assistant", "content": message.content, **more})
    check_chat_rules(chat)


def read_langchain(raw: dict[str, Any]) -> Any:
    if raw.get("type") == "constructor":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load(raw, allowed_objects="messages")
    if "data" in raw:
        return messages_from_dict([json.loads(json.dumps(raw))])[0]
    return convert_to_messages([json.loads(json.dumps(raw))])[0]


UI_PARTS = ("text", "reasoning", "file", "source-url", "source-document", "step-start")
UI_STATES = {
    "output-available": "output",
    "output-error": "errorText",
    "output-denied": "input",
}


def check_ai_sdk(messages: list[Any]) -> None:
    used: set[str] = set()
    for message in messages:
        assert isinstance(message["id"], str)
        assert message["role"] in ("system", "user", "assistant")
        assert message["parts"]
        for part in message["parts"]:
            kind = part["type"]
            if kind.startswith("tool-") or kind == "dynamic-tool":
                assert message["role"] == "assistant"
                assert part["toolCallId"] not in used
                used.add(part["toolCallId"])
                assert UI_STATES[part["state"]] in part
                assert kind != "dynamic-tool" or part["toolName"]
            elif kind in ("text", "reasoning"):
                assert isinstance(part["text"], str)
                assert part.get("state") != "streaming"
            elif kind == "file":
                assert part["url"]
                assert part["mediaType"]


def check_ai_sdk_model(messages: list[Any]) -> None:
    chat = []
    for message in messages:
        content = message["content"]
        assert content
        if message["role"] == "tool":
            for part in content:
                assert part["type"] == "tool-result"
                assert part["output"]["type"] in MODEL_OUTPUTS
                assert "value" in part["output"]
                uid = part["toolCallId"]
                chat.append({"role": "tool", "tool_call_id": uid, "content": "x"})
        elif message["role"] == "assistant" and not isinstance(content, str):
            # A tool that the provider ran has its result beside its call.
            settled = [e["toolCallId"] for e in content if e["type"] == "tool-result"]
            asked = [e["toolCallId"] for e in content if e["type"] == "tool-call"]
            assert set(settled) <= set(asked)
            calls = [{"id": uid} for uid in asked if uid not in settled]
            said = [e for e in content if e["type"] not in ("tool-call", "reasoning")]
            more = {"tool_calls": calls} if calls else {}
            chat.append({"role": "assistant", "content": said, **more})
        else:
            chat.append(message)
    check_chat_rules(chat)


MODEL_OUTPUTS = ("text", "json", "error-text", "error-json", "content")


def check_raw(messages: list[Any]) -> None:
    assert isinstance(messages, list)


CHECKS: dict[str, Callable[[list[Any]], None]] = {
    "ai-sdk": check_ai_sdk,
    "ai-sdk-model": check_ai_sdk_model,
    "openai-chat": check_openai_chat,
    "openai-responses": check_openai_responses,
    "anthropic": check_anthropic,
    "gemini": check_gemini,
    "workers-ai": check_workers_ai,
    "langchain": check_langchain,
    "raw": check_raw,
}


def _force(adapter: TypeAdapter[Any], messages: list[Any]) -> None:
    """Go through what pydantic leaves lazy: fields that are Iterable."""
    adapter.dump_python(adapter.validate_python(messages), mode="json", warnings=False)
