"""What a tool was asked to do, in one line; and the texts that an edit changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from sessions_app.tokens import compact_json

LONGEST = 160
# Longer paths lose their middle: their end says more than their beginning.
LONGEST_PATH = 72

# What says most of a call, by the names that tools give it.
TELLING = (
    "command", "cmd", "path", "file_path", "filePath", "filename", "query", "q",
    "pattern", "url", "code", "text", "prompt", "name", "label", "key",
)  # fmt: skip
PATHS = {"path", "file_path", "filePath", "filename"}
# Where a shell goes first is seldom what it is asked to do.
GOING = re.compile(r"^cd [^;&|\n]{1,200}? && ")

EDITS = (("oldText", "newText"), ("old_string", "new_string"), ("old_str", "new_str"), ("old", "new"))  # fmt: skip


def line(value: Any) -> str:
    """Return an input as one line, which need not hold all of it."""
    if not isinstance(value, Mapping):
        text = (
            ""
            if value is None
            else value
            if isinstance(value, str)
            else compact_json(value)
        )
        return _cut(text)
    telling = next((key for key in TELLING if _says(value.get(key))), None)
    if telling is None:
        return _cut(" ".join(_pairs(value, set())))
    text = str(value[telling])
    if telling in PATHS:
        text = cut_path(text) + _lines_of(value)
    else:
        text = GOING.sub("", text)
    return _cut(text)


def whole(value: Any) -> str:
    """Return an input to be read in full: a command as it is, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for key in ("command", "cmd", "code"):
            if set(value) <= {key, "timeout"} and isinstance(value.get(key), str):
                return str(value[key])
    return "" if value is None else compact_json(value)


def edits(value: Any) -> list[tuple[str, str]]:
    """Return the texts that an edit changes, before and after; none if it is no edit."""
    if not isinstance(value, Mapping):
        return []
    several = value.get("edits")
    sources = several if isinstance(several, list) else [value]
    return [pair for each in sources if (pair := _pair(each))]


def path_of(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    found = (value.get(key) for key in ("path", "file_path", "filePath", "filename"))
    return next((each for each in found if isinstance(each, str)), "")


def cut_path(path: str) -> str:
    if len(path) <= LONGEST_PATH:
        return path
    kept = (LONGEST_PATH - 1) // 3
    return f"{path[:kept]}…{path[-(LONGEST_PATH - 1 - kept) :]}"


def _pair(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    for old, new in EDITS:
        before, after = value.get(old), value.get(new)
        if isinstance(before, str) and isinstance(after, str) and before != after:
            return before, after
    return None


def _lines_of(value: Mapping[str, Any]) -> str:
    """Return which lines of a file are read."""
    start, limit = value.get("offset"), value.get("limit")
    if isinstance(start, int) and isinstance(limit, int):
        return f" {start}–{start + limit - 1}"
    if isinstance(start, int):
        return f" from {start}"
    return f" {limit} lines" if isinstance(limit, int) else ""


def _says(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _pairs(value: Mapping[str, Any], but: set[str]) -> Iterator[str]:
    for key, each in value.items():
        if key not in but:
            yield f"{key}={each if isinstance(each, str) else compact_json(each)}"


def _cut(text: str) -> str:
    flat = " ".join(text[: LONGEST * 4].split())
    return flat if len(flat) <= LONGEST else flat[: LONGEST - 1] + "…"
