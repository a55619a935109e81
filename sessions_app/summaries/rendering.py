"""Messages as text that a model reads to summarise them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sessions_app.planning import Step
from sessions_app.tokens import compact_json, is_tool

# Characters of a tool's input, output or error (../spec/sessions.md, section 0.3).
EXCERPT = 500

Part = Mapping[str, Any]


def render_all(steps: Sequence[Step]) -> list[str]:
    """Return a text for each step."""
    names = tool_names(steps)
    return [render(step, names) for step in steps]


def render(step: Step, names: Mapping[str, str]) -> str:
    if step.is_summary:
        return f"[summary of {step.count} earlier messages]\n{summary_text(step)}"
    lines = [line for part in step.parts for line in _lines(part, names)]
    return "\n".join([f"[{step.role}]", *lines])


def summary_text(step: Step) -> str:
    return "\n".join(text_of(part) for part in step.parts)


def text_of(part: Part) -> str:
    """Return what a part says in words; reasoning is not meant for others."""
    text = part.get("text")
    return text if isinstance(text, str) and part["type"] != "reasoning" else ""


def tool_names(steps: Sequence[Step]) -> dict[str, str]:
    """Return the names of tools by the ids of their calls, which results may lack."""
    return {
        part["toolCallId"]: tool_name(part, {})
        for step in steps
        for part in step.parts
        if is_tool(part["type"])
        and isinstance(part.get("toolCallId"), str)
        and tool_name(part, {}) != "unknown"
    }


def tool_name(part: Part, names: Mapping[str, str]) -> str:
    name = part.get("toolName")
    if isinstance(name, str) and name:
        return name
    if part["type"] not in ("tool-call", "tool-result", "dynamic-tool"):
        return str(part["type"]).removeprefix("tool-")
    call = part.get("toolCallId")
    return names.get(call, "unknown") if isinstance(call, str) else "unknown"


def _lines(part: Part, names: Mapping[str, str]) -> Iterator[str]:
    kind = part["type"]
    if is_tool(kind):
        yield f"[Tool: {tool_name(part, names)}]"
        output = part.get("output")
        result = part.get("result") if output is None else output
        for label, value in (
            ("Input", part.get("input")),
            ("Output", result),
            ("Error", part.get("errorText")),
        ):
            if value is not None:
                yield f"{label}: {excerpt(value_text(value))}"
    elif text := text_of(part):
        yield text
    elif name := attachment(part):
        yield f"[File: {name}]"
    elif kind not in ("text", "reasoning", "step-start"):
        yield f"[{kind}]"


def attachment(part: Part) -> str:
    """Return what a file or a source is called; without its contents."""
    if part["type"] not in ("file", "image", "source-url", "source-document"):
        return ""
    named = (part.get(key) for key in ("filename", "title", "url", "image"))
    name = next((each for each in named if isinstance(each, str) and each), "")
    if name.startswith("data:") or len(name) > EXCERPT:
        name = ""
    media = part.get("mediaType") or part.get("mimeType")
    kind = media if isinstance(media, str) else part["type"]
    return f"{name} ({kind})" if name else str(kind)


def value_text(value: Any) -> str:
    """Return a tool's input or output: a text as it is, the rest as JSON."""
    return value if isinstance(value, str) else compact_json(value)


def excerpt(text: str, longest: int = EXCERPT) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… [{len(text) - longest} more characters]"
