"""What a document says of itself in its first lines, between two lines of dashes."""

from __future__ import annotations

import json

FENCE = "---"
FOLDED = (">", ">-", ">+", "|", "|-", "|+")


def description_of(text: str) -> str:
    """Return the ``description`` of a document's front matter, or an empty text."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].strip() != FENCE:
        return ""
    for number, line in enumerate(lines[1:], start=1):
        if line.strip() == FENCE:
            return ""
        name, colon, value = line.partition(":")
        if colon and name == "description":
            value = value.strip()
            return _folded(lines[number + 1 :]) if value in FOLDED else _unquoted(value)
    return ""


def description_in_meta(text: str) -> str:
    """Return the description in a file beside a document: a text, or JSON that has one."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return text.strip()
    found = parsed.get("description") if isinstance(parsed, dict) else parsed
    return found.strip() if isinstance(found, str) else ""


def with_description_in_meta(text: str, description: str) -> str:
    """Return a file beside a document with another description, in the form that it has."""
    try:
        parsed = json.loads(text)
    except ValueError:
        return description
    if not isinstance(parsed, dict):
        return json.dumps(description, ensure_ascii=False)
    return json.dumps(parsed | {"description": description}, ensure_ascii=False)


def with_description(content: str, description: str) -> str:
    """Return a document with front matter that describes it, unless it has some."""
    if not description or content.startswith(f"{FENCE}\n"):
        return content
    line = json.dumps(" ".join(description.split()), ensure_ascii=False)
    return f"{FENCE}\ndescription: {line}\n{FENCE}\n{content}"


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


def _folded(lines: list[str]) -> str:
    """Return the indented lines that follow, as one."""
    taken = []
    for line in lines:
        if line.strip() and not line.startswith((" ", "\t")):
            break
        taken.append(line.strip())
    return " ".join(filter(None, taken))
