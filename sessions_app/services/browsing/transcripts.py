"""A path of a session as a text for people, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sessions_app.messages import parse_body
from sessions_app.models import Session
from sessions_app.services.forest.history import read_history
from sessions_app.tokens import compact_json, is_tool

HIDDEN = ("source", "step-start")


def markdown(session: Session, leaf: str | None = None) -> Iterator[str]:
    """Yield the text piece by piece: a heading, then a section for each message."""
    history = read_history(session, leaf=leaf)
    yield f"# {_one_line(session.name or session.key)}\n\n"
    yield f"Session `{session.key}` of {session.agent.name}, {history.path_length} messages"
    yield f" to `{history.leaf}`.\n" if history.leaf else ".\n"
    for step in history.steps:
        message = parse_body(step.body)
        title = (
            "Summary" if step.compaction else _one_line(str(message.get("role", "")))
        )
        yield f"\n## {title}\n\n"
        for part in message["parts"]:
            if text := _part(part):
                yield f"{text}\n\n"


def _part(part: Mapping[str, Any]) -> str:
    kind = part["type"]
    if kind == "text":
        return str(part.get("text") or "")
    if kind == "reasoning":
        text = str(part.get("text") or part.get("reasoning") or "")
        return "\n".join(f"> {line}" for line in text.splitlines())
    if is_tool(kind):
        return _tool(part)
    if kind == "file":
        return f"*[{part.get('mediaType') or 'file'}]*"
    return "" if kind in HIDDEN else _fenced(compact_json(part))


def _tool(part: Mapping[str, Any]) -> str:
    name = part.get("toolName") or str(part["type"]).removeprefix("tool-")
    pieces = [f"**{name}**"]
    for key in ("input", "output", "result", "errorText"):
        if (value := part.get(key)) is not None:
            text = value if isinstance(value, str) else compact_json(value)
            pieces.append(f"{key}:\n\n{_fenced(text)}")
    return "\n\n".join(pieces)


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
