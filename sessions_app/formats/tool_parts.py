"""
Tool parts of stored messages: a call, its result, or both.

States are those of the AI SDK (packages/ai/src/ui/ui-messages.ts), and the three of
its version 4. A part without a state is read by what it holds, for the reference of
the sessions library stores such.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sessions_app.formats.arguments import value_text
from sessions_app.formats.media import data_url
from sessions_app.formats.shapes import Call, File, Part, Result

DENIED = "The user did not allow this tool call."
NO_TEXT = "The tool failed and gave no reason."

SETTLED = {"output-available", "output-error", "output-denied"}
PENDING = {"input-available", "approval-requested", "approval-responded"}
MCP_RESULT = {"content", "structuredContent", "isError", "_meta"}
OLD_STATES = {
    "partial-call": "input-streaming",
    "call": "input-available",
    "result": "output-available",
}


@dataclass(slots=True)
class ToolPart:
    call: Call | None = None
    result: Result | None = None
    unfinished: bool = False
    # It is a UI part as the AI SDK writes it now.
    is_clean: bool = True


def read_tool(part: Part, own_id: str) -> ToolPart:
    """Read a tool part; ``own_id`` is for one that was sent without an id."""
    old = part.get("toolInvocation")
    if isinstance(old, dict):
        part = {**old, "type": "tool-invocation", "input": old.get("args")}
    kind = part["type"]
    given = part.get("toolCallId")
    uid = given if isinstance(given, str) and given else own_id
    name = part.get("toolName")
    if not isinstance(name, str) or not name:
        name = kind.removeprefix("tool-") if kind != "dynamic-tool" else ""
    name = name or "unknown"
    state = read_state(part)
    read = ToolPart(is_clean=_is_clean(part, has_id=uid == given))
    if state == "input-streaming":
        read.unfinished = True
        return read

    provider = part.get("callProviderMetadata")
    provider = provider if isinstance(provider, dict) else {}
    generated = uid == own_id
    if kind != "tool-result":
        raw = part.get("rawInput")
        value, text = part.get("input"), raw if isinstance(raw, str) else None
        if value is None and raw is not None:
            value = raw
        read.call = Call(uid, name, value, text, provider, generated, part)
    if state in SETTLED:
        value, error, files = _read_output(part, state)
        found = part.get("resultProviderMetadata")
        if isinstance(found, dict):
            provider = found
        read.result = Result(uid, name, value, error, files, provider, generated, part)
    return read


def read_state(part: Part) -> str:
    state = part.get("state")
    if isinstance(state, str):
        state = OLD_STATES.get(state, state)
        if state in SETTLED or state in PENDING or state == "input-streaming":
            return state
    if isinstance(part.get("errorText"), str):
        return "output-error"
    if "output" in part or "result" in part:
        return "output-available"
    return "input-available"


def split_content(value: Any) -> tuple[Any, list[File]]:
    """Return an output as a value, and the images and files that are in it."""
    parts = _content_of(value)
    if parts is None:
        return value, []
    texts: list[str] = []
    files: list[File] = []
    for part in parts:
        if (file := _read_file(part)) is not None:
            files.append(file)
        else:
            texts.append(value_text(part.get("text", part)))
    return "\n".join(texts), files


def _is_clean(part: Part, *, has_id: bool) -> bool:
    kind, state = part["type"], part.get("state")
    if not has_id or kind in ("tool-call", "tool-result"):
        return False
    if kind == "dynamic-tool" and not isinstance(part.get("toolName"), str):
        return False
    return state in SETTLED or state in PENDING


def _read_output(part: Part, state: str) -> tuple[Any, bool, list[File]]:
    if state == "output-denied":
        approval = part.get("approval")
        reason = approval.get("reason") if isinstance(approval, dict) else None
        return f"{DENIED} {reason}" if isinstance(reason, str) else DENIED, True, []
    if state == "output-error":
        text = part.get("errorText")
        return (text if isinstance(text, str) and text else NO_TEXT), True, []
    output = part["output"] if "output" in part else part.get("result")
    value, files = split_content(output)
    failed = isinstance(output, dict) and output.get("isError") is True
    return value, failed and value is not output, files


def _content_of(value: Any) -> list[Part] | None:
    """Return the parts of an AI SDK content output, an MCP result or a list of texts."""
    if isinstance(value, dict):
        if value.get("type") == "content":
            value = value.get("value")
        elif "content" in value and MCP_RESULT.issuperset(value):
            value = value["content"]
        else:
            return None
    if not isinstance(value, list) or not value:
        return None
    known = all(isinstance(each, dict) and _is_content(each) for each in value)
    return value if known else None


def _is_content(part: Part) -> bool:
    if part.get("type") == "text":
        return isinstance(part.get("text"), str)
    return _read_file(part) is not None


def _read_file(part: Part) -> File | None:
    """Read a file part: ours, the AI SDK's media, file-data and -url, MCP's image."""
    kind = part.get("mediaType") or part.get("mimeType")
    if not str(part.get("type")).startswith(("file", "image", "media", "audio")):
        return None
    name = part.get("filename")
    name = name if isinstance(name, str) else None
    if isinstance(part.get("url"), str):
        kind = kind if isinstance(kind, str) else "image/*"
        return File(kind, part["url"], name, {}, part)
    if isinstance(part.get("data"), str) and isinstance(kind, str):
        return File(kind, data_url(kind, part["data"]), name, {}, part)
    return None
