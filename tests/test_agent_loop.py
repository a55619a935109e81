"""The program of docs/agent-loop.md, as it stands there, against a real server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from sessions_app.formats import FORMATS
from tests import llm_server as llm
from tests.server import PATIENCE, ROOT, Server, running_server, start_server
from tests.sessions_app.formats.format_checks import check

DOCS = (ROOT / "docs/agent-loop.md").read_text()
GUIDE = "Rome is at its best in the early morning."
LONG = " ".join(["We spoke of hotels, of trains and of the weather."] * 40)
# What the model answers, in order; the functions are of each protocol.
SCRIPT: list[dict[str, Any]] = [
    {"calls": [("set_context", {"label": "memory", "content": "Likes tea."})]},
    {"text": "I will remember that."},
    {
        "calls": [
            ("load_context", {"label": "guides", "key": "rome"}),
            ("search_context", {"label": "notes", "query": "quiet"}),
        ]
    },
    {"text": "In November."},
    *[{"text": LONG}] * 6,
    {"text": "Another answer."},
]
SPENT = {
    "openai-chat": (200, 60, 1000, 30),
    "anthropic": (200, 90, 1000, 0),
}


def program(name: str) -> str:
    """Return the program; Anthropic's is the first one with some functions replaced."""
    (whole,) = re.findall(r"```python\n(.*?)```", DOCS, re.S)
    if name == "openai-chat":
        return str(whole)
    (other,) = re.findall(r"```python anthropic\n(.*?)```", DOCS, re.S)
    body, start, rest = whole.partition('if __name__ == "__main__":')
    return f"{body}{other}\n\n{start}{rest}"


class Agent:
    """The program, run anew for each thing that the user says."""

    def __init__(self, path: Path, model: str) -> None:
        self.path = path
        self.model = model
        self.hub = ""
        self.key = ""

    def serve(self, server: Server) -> None:
        self.hub = f"{server.url}/api/v1"
        self.key = server.key or self.key

    def say(self, text: str, *parent: str) -> str:
        environment = {
            "MEMORYHUB_URL": self.hub,
            "MEMORYHUB_KEY": self.key,
            "MODEL_URL": self.model,
            "MODEL_KEY": "sk-1",
            "MODEL": "large-1",
        }
        done = subprocess.run(
            [sys.executable, str(self.path), "trip", text, *parent],
            env=os.environ | environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.rstrip("\n")

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.key}"}
        url = f"{self.hub}/sessions{path}"
        reply = httpx.request(method, url, headers=headers, timeout=60, **options)
        assert reply.is_success, reply.text
        return reply

    def get(self, path: str, **query: Any) -> Any:
        return self.call("GET", f"/trip{path}", params=query).json()

    def contexts(self, leaf: str) -> list[bytes]:
        """Return the context of two branches in every format, byte for byte."""
        queries = [{"format": name} for name in FORMATS]
        queries += [{"format": name, "leaf": leaf} for name in FORMATS]
        return [
            self.call("GET", "/trip/context", params=each).content for each in queries
        ]


@pytest.fixture
def model(request: pytest.FixtureRequest) -> Iterator[llm.Server]:
    """The model of the agent, and the one that the server has its summaries from."""
    asks = llm.asks if request.param == "openai-chat" else llm.claude_asks
    replies = deque(
        asks(*each.get("calls", ()), text=each.get("text")) for each in SCRIPT
    )
    summarizes = llm.says("They spoke of a trip to Rome, at length.", model="small-1")

    def answer(asked: dict[str, Any], handler: Any) -> None:
        reply = summarizes if asked["model"] == "small-1" else replies.popleft()
        reply(asked, handler)

    with llm.llm_server(answer) as server:
        yield server


def prepare(agent: Agent) -> None:
    """Make a session with a memory, skills and notes."""
    agent.call("POST", "", json={"id": "trip", "compact_after": 1200})
    for label, kind in (
        ("memory", "writable"),
        ("guides", "skill"),
        ("notes", "search"),
    ):
        agent.call("POST", "/trip/blocks", json={"label": label, "kind": kind})
    entries = (
        ("guides", "rome", GUIDE),
        ("notes", "months", "Rome is quiet in November."),
    )
    for label, key, content in entries:
        path = f"/trip/blocks/{label}/entries/{key}"
        agent.call("PUT", path, json={"content": content, "description": f"Of {key}"})


def outputs(context: dict[str, Any]) -> list[str]:
    """Return what tools gave, of a context of the dialect openai-chat."""
    return [each["content"] for each in context["messages"] if each["role"] == "tool"]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["openai-chat", "anthropic"], indirect=True)
def test_the_program(
    model: llm.Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    name = request.node.callspec.params["model"]
    path = tmp_path / "agent.py"
    path.write_text(program(name))
    agent = Agent(path, model.url)
    monkeypatch.setenv("MEMORYHUB_SUMMARIZER_URL", model.url)
    monkeypatch.setenv("MEMORYHUB_SUMMARIZER_MODEL", "small-1")
    server = start_server(tmp_path / "data")
    try:
        agent.serve(server)
        prepare(agent)
        check_tools(agent)
        check_compaction(agent)
        old = check_branch(agent)
        before = agent.contexts(old)
        assert server.stop() == 0
        # The whole is a function of what is stored.
        with running_server(tmp_path / "data") as again:
            agent.serve(again)
            assert agent.contexts(old) == before
            check_spending(agent, name)
    finally:
        if server.process.poll() is None:
            server.stop()
    check_requests(model, name)


def check_tools(agent: Agent) -> None:
    """The model writes its memory, loads a skill and searches."""
    assert agent.say("I like tea.") == "I will remember that."
    assert agent.get("/blocks/memory")["content"] == "Likes tea."
    assert agent.say("When is Rome quiet?") == "In November."

    context = agent.get("/context", format="openai-chat")

    written, loaded, found = outputs(context)
    assert written.startswith("Written to memory.")
    assert loaded == GUIDE
    assert "Rome is quiet in November." in found
    assert context["repairs"] == []
    assert "guides:rome" in str(context["tools"])
    assert context["prompt"]["stale"]


def check_compaction(agent: Agent) -> None:
    """The session outgrows its threshold, and a job of the server sums it up."""
    for number in range(6):
        agent.say(f"Tell me more, {number}. {LONG}")
        if number == 2:
            wait_for(lambda: agent.get("/compactions")["items"])

    context = agent.get("/context", format="openai-chat")

    text = str(context["messages"])
    assert "They spoke of a trip to Rome, at length." in text
    assert context["prompt"]["version"] == 2
    assert "Likes tea." in context["messages"][0]["content"]
    raw = agent.get("/history", raw=1)["items"]
    assert "When is Rome quiet?" in str(raw)


def check_branch(agent: Agent) -> str:
    """An answer is made anew; return the leaf of the branch that it had before."""
    *_, question, _answer = agent.get("/history")["items"]
    old = agent.get("")["head"]
    parent = agent.get(f"/messages/{question['id']}")["parent"]

    assert agent.say("Tell me something else.", parent) == "Another answer."

    assert {each["id"] for each in agent.get("/leaves")["items"]} == {
        old,
        agent.get("")["head"],
    }
    assert "Another answer." in str(agent.get("/context")["messages"])
    assert "Another answer." not in str(agent.get("/context", leaf=old)["messages"])
    return str(old)


def check_spending(agent: Agent, name: str) -> None:
    """Each call of a model counts once."""
    rows = agent.get("/usage", limit=100)["items"]
    chats = [row for row in rows if row["purpose"] == "chat"]
    buckets = ("input_tokens", "output_tokens", "cache_read_tokens", "reasoning_tokens")

    assert len(chats) == len(SCRIPT)
    assert {tuple(row[each] for each in buckets) for row in chats} == {SPENT[name]}
    assert {(row["model"], row["provider"]) for row in chats} == {("large-1", name)}
    assert all(row["message"] and row["response_id"] for row in chats)
    assert [row["model"] for row in rows if row["purpose"] == "compaction"]


def check_requests(model: llm.Server, name: str) -> None:
    """What the model was asked is valid for it, every time."""
    asked = [each for each in model.requests if each["model"] == "large-1"]
    assert len(asked) == len(SCRIPT)
    for each in asked:
        check(name, each["messages"])
        assert each["tools"]


def wait_for(condition: Any) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.1)
