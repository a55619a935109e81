"""
The dialect ``workers-ai``: Chat Completions, but that content is always there.

Its older models answer ``{response, tool_calls: [{name, arguments: {...}}]}``, without
ids; newer ones a chat completion. memory-subsystems.md, C6.
"""

from __future__ import annotations

from typing import Any

from sessions_app.formats.definitions import workers_ai_tools
from sessions_app.formats.openai_chat import parsing
from sessions_app.formats.openai_chat.printing import Printer
from sessions_app.formats.reading import (
    as_list,
    each_object,
    expect_object,
    object_or_none,
    optional_text,
    text_or_none,
)
from sessions_app.formats.rendering import make_render
from sessions_app.formats.report import Report
from sessions_app.formats.shapes import Answer, Format, Message, Rules, Turn

RULES = Rules(
    format="workers-ai",
    has_ids=False,
    id_length=40,
    name_pattern=r"[^a-zA-Z0-9_-]",
    name_length=64,
)


def parse(payload: Any) -> list[Message]:
    parser = parsing.Parser("workers-ai")
    listed = each_object(as_list(payload), "messages")
    return [parser.read(raw, where) for raw, where in listed]


def parse_response(payload: Any) -> Answer:
    """Read either answer; the API's envelope ``{result: {...}}`` may be around it."""
    payload = expect_object(payload, "response")
    found = object_or_none(payload.get("result")) or payload
    uid, model = text_or_none(found.get("id")), text_or_none(found.get("model"))
    parser = parsing.Parser("workers-ai")
    if "choices" in found:
        answer = parsing.parse_response(found)
        choice = found["choices"][0]["message"]
        where = "response.choices[0].message"
        answer.messages = [parser.read(choice, where, uid=uid, model=model)]
        return answer
    text = found.get("response")
    raw = {
        "role": "assistant",
        "content": optional_text(text, "response.response"),
    }
    if found.get("tool_calls"):
        raw["tool_calls"] = found["tool_calls"]
    return Answer(
        messages=[parser.read(raw, "response", uid=uid, model=model)],
        usage=object_or_none(found.get("usage")),
        model=model,
        response_id=uid,
    )


def print_messages(
    turns: list[Turn], prompts: list[str], report: Report
) -> tuple[None, list[Any]]:
    """Print as chat; null content is refused by some of its models."""
    printer = Printer(report, no_content="", has_custom=False, has_ids=False)
    return None, printer.print(turns, prompts)


WORKERS_AI = Format(
    name="workers-ai",
    title="Cloudflare Workers AI",
    parse=parse,
    parse_response=parse_response,
    render=make_render(RULES, print_messages),
    tools=workers_ai_tools,
)
