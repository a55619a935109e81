"""Calls and results of tools that a provider runs itself stay together, or go together."""

from __future__ import annotations

import copy

import orjson
import pytest

from sessions_app.formats import get_format
from tests.sessions_app.formats.format_checks import check

ASK = {"role": "user", "content": "Ask"}
END = {"role": "assistant", "content": "Done."}


def stored(name, raw):
    messages = get_format(name).parse(copy.deepcopy(raw))
    messages = [{"id": f"m{i}"} | each for i, each in enumerate(messages)]
    return orjson.loads(orjson.dumps(messages))


def render(name, messages):
    rendered = get_format(name).render(messages, None)
    check(name, rendered.messages)
    return rendered


SHELL = [
    {
        "type": "local_shell_call",
        "id": "lsh_1",
        "call_id": "call_1",
        "status": "completed",
        "action": {"type": "exec", "command": ["ls"], "env": {}},
    },
    {"type": "local_shell_call_output", "id": "call_1", "output": "a.txt"},
]
PROGRAM = [
    {
        "type": "program",
        "id": "prog_1",
        "call_id": "call_1",
        "code": "1",
        "fingerprint": "f",
    },
    {
        "type": "program_output",
        "id": "out_1",
        "call_id": "call_1",
        "result": "1",
        "status": "completed",
    },
]


@pytest.mark.parametrize("pair", [SHELL, PROGRAM])
def test_openais_own_calls_keep_their_outputs(pair):
    raw = [ASK, *pair, END]

    rendered = render("openai-responses", stored("openai-responses", raw))
    alone = render("openai-responses", stored("openai-responses", [ASK, pair[1], END]))

    assert (rendered.messages, rendered.repairs) == (raw, [])
    assert alone.messages == [ASK, END]


SERVER_CALL = {
    "type": "server_tool_use",
    "id": "srvtoolu_1",
    "name": "web_search",
    "input": {},
}
SERVER_RESULT = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [],
}
SAID = {"type": "text", "text": "Well"}


def answer(*blocks):
    return {"role": "assistant", "content": list(blocks)}


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ([ASK, answer(SAID, SERVER_CALL), ASK], "orphan_call_dropped"),
        ([ASK, answer(SERVER_RESULT, SAID), ASK], "orphan_result"),
    ],
)
def test_half_of_what_a_server_did_is_left_out(raw, kind):
    rendered = render("anthropic", stored("anthropic", raw))

    assert rendered.messages == [ASK, answer(SAID), ASK]
    assert [each["kind"] for each in rendered.repairs] == [kind]


def test_a_model_that_paused_goes_on():
    """Its result may come later: in its next answer, or behind results of ours."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Seen"}
    paused = [ASK, answer(SAID, SERVER_CALL)]
    waited = [
        ASK,
        answer(SERVER_CALL, call),
        {"role": "user", "content": [result]},
        answer(SERVER_RESULT, SAID),
        ASK,
    ]

    for raw in (paused, waited):
        rendered = render("anthropic", stored("anthropic", raw))
        assert (rendered.messages, rendered.repairs) == (raw, [])
    went_on = stored("anthropic", [*paused, answer(SERVER_RESULT, SAID), ASK])
    blocks = render("anthropic", went_on).messages[1]["content"]
    assert blocks == [SAID, SERVER_CALL, SERVER_RESULT, SAID]
