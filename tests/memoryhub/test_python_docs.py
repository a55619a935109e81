"""docs/python.md: its example runs, and it names what there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import memoryhub
from memoryhub import Session, SessionManager

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "python.md").read_text()


@pytest.mark.django_db
def test_the_example() -> None:
    example = re.search(r"<!-- example: .*?```python\n(.*?)```", DOCS, re.S)
    assert example
    names: dict[str, Any] = {}

    exec(compile(example[1], "docs/python.md", "exec"), names)  # noqa: S102

    assert names["history"][0]["id"] == "m1"
    assert "You are a helpful assistant." in names["system"]
    assert names["answer"] == "Written to memory. Usage: 0% (5/1100 tokens)"
    assert {hit["session_id"] for hit in names["hits"]} >= {"trip", names["chat"].id}
    assert isinstance(names["session"], Session)
    assert isinstance(names["manager"], SessionManager)
    assert names["fork"].parent_session_id == names["chat"].id


def test_every_method_of_a_session_is_named() -> None:
    methods = {name for name in dir(Session) if not name.startswith("_")}

    assert methods <= set(re.findall(r"`(\w+)`", DOCS))


def test_what_is_exported_is_named() -> None:
    exported = {name for name in memoryhub.__all__ if not name.startswith("_")}

    assert exported - {"Change", "CompactionResult"} <= set(re.findall(r"\w+", DOCS))
