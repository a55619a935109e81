"""Checks of what a client sends, each error naming field and rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions_app.errors import Invalid


def fail(where: str, rule: str) -> Invalid:
    return Invalid(f"{where}: {rule}", field=where)


def expect_object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise fail(where, "must be an object")
    return value


def expect_list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise fail(where, "must be an array")
    return value


def expect_text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise fail(where, "must be a string")
    return value


def expect_name(value: Any, where: str) -> str:
    """Check a role, a type, a tool's name: a string that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise fail(where, "must be a string that is not empty")
    return value


def optional_text(value: Any, where: str) -> str:
    """Return a text, or "" for null and for nothing."""
    return "" if value is None else expect_text(value, where)


def each_object(value: Any, where: str) -> list[tuple[dict[str, Any], str]]:
    """Return the objects of a list, each with its name in errors."""
    return [
        (expect_object(each, f"{where}[{index}]"), f"{where}[{index}]")
        for index, each in enumerate(expect_list(value, where))
    ]


def as_list(payload: Any) -> Any:
    """Take a single message for a list of one."""
    return [payload] if isinstance(payload, dict) else payload


def first(value: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these that is there and not null: camelCase, snake_case."""
    for name in names:
        if value.get(name) is not None:
            return value[name]
    return None


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def object_or_none(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None
