from __future__ import annotations

import pytest

from sessions_app.planning import Step
from sessions_app.summaries.rendering import render_all


def shown(*parts, role="assistant"):
    (text,) = render_all([Step("m", role, parts, 0)])
    return text


def test_texts():
    parts = [{"type": "text", "text": "Hello"}, {"type": "text", "text": "there"}]

    assert shown(*parts, role="user") == "[user]\nHello\nthere"


def test_a_call_has_its_name_and_its_json():
    part = {
        "type": "tool-read_file",
        "toolCallId": "k",
        "input": {"path": "a.py", "n": 1.0},
        "output": {"lines": ["über", None]},
    }

    assert shown(part) == (
        '[assistant]\n[Tool: read_file]\nInput: {"path":"a.py","n":1}\n'
        'Output: {"lines":["über",null]}'
    )


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ({"type": "dynamic-tool", "toolName": "bash"}, "bash"),
        ({"type": "tool-call", "toolName": "bash"}, "bash"),
        ({"type": "tool-bash"}, "bash"),
        ({"type": "tool-call"}, "unknown"),
        ({"type": "dynamic-tool", "toolName": 7}, "unknown"),
    ],
)
def test_names_of_tools(part, name):
    assert shown(part) == f"[assistant]\n[Tool: {name}]"


def test_a_result_without_a_name_has_that_of_its_call():
    call = {"type": "tool-call", "toolCallId": "k", "toolName": "bash"}
    result = {"type": "tool-result", "toolCallId": "k", "result": 0}

    texts = render_all(
        [Step("a", "assistant", [call], 0), Step("b", "tool", [result], 0)]
    )

    assert texts[1] == "[tool]\n[Tool: bash]\nOutput: 0"


def test_errors_and_files():
    error = {"type": "tool-bash", "errorText": "exit 1"}
    file = {
        "type": "file",
        "mediaType": "image/png",
        "url": "data:image/png;base64,AAAA",
    }
    named = {"type": "file", "mediaType": "text/csv", "filename": "sales.csv"}

    assert shown(error, file, named) == (
        "[assistant]\n[Tool: bash]\nError: exit 1\n[File: image/png]\n"
        "[File: sales.csv (text/csv)]"
    )


def test_reasoning_is_left_out_and_unknown_parts_are_named():
    parts = [
        {"type": "reasoning", "text": "hidden"},
        {"type": "step-start"},
        {"type": "data-weather", "data": {"sky": "blue"}},
    ]

    assert shown(*parts) == "[assistant]\n[data-weather]"


def test_long_outputs_are_cut():
    shown_text = shown({"type": "tool-bash", "output": "x" * 10_000})

    assert shown_text.endswith("x… [9500 more characters]")
    assert len(shown_text) < 600


def test_a_summary():
    step = Step(
        "c", "assistant", [{"type": "text", "text": "## Topic"}], 0, ("a", "b"), 7
    )

    assert render_all([step]) == ["[summary of 7 earlier messages]\n## Topic"]
