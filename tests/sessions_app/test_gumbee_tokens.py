from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions_app.formats import get_format
from sessions_app.gumbee_tokens import floored_tokens, message_tokens, text_tokens
from sessions_app.strategies import choose

VECTORS = json.loads((Path(__file__).parent / "gumbee_vectors.json").read_text())


@pytest.mark.parametrize("case", VECTORS["text"])
def test_texts_count_as_they_do_there(case):
    assert text_tokens(case["text"]) == case["tokens"]
    assert floored_tokens(case["text"]) >= case["tokens"]


@pytest.mark.parametrize("case", VECTORS["messages"])
def test_messages_count_as_they_do_there(case):
    (message,) = read(case["message"])

    assert message_tokens(message, text_tokens) == case["tokens"]


def read(raw):
    """Read a ModelMessage; what their vectors say of files is not whole."""
    if isinstance(raw["content"], list):
        content = [each for each in raw["content"] if each["type"] != "tool-result"]
        if raw["role"] == "tool":
            parts = []
            for each in raw["content"]:
                output = each["output"]
                value = output if output["type"] == "content" else output.get("value")
                parts.append({"type": "tool-t", "output": value})
            return [{"role": "tool", "parts": parts}]
        raw = {**raw, "content": content}
        if content[0]["type"] in ("image", "file"):
            return [{"role": raw["role"], "parts": content}]
    return get_format("ai-sdk-model").parse([raw])


def test_no_script_is_free():
    for text in ("Привет мир", "こんにちは", "😀" * 8, "Ελληνικά"):
        assert text_tokens(text) == 0
        assert floored_tokens(text) >= len(text) / 2 - 1


def test_it_serves_a_token_window():
    word = {"role": "user", "parts": [{"type": "text", "text": "😀" * 100}]}

    assert choose("token_window", [word] * 5, 250, message_tokens).start == 3
