"""Tools over blocks that are objects of the host's own."""

from __future__ import annotations

import pytest

from context_app.providers import PythonBlock
from context_app.tools import call_tool
from tests.blocks import INJECTION, KEY, scan_with


class Text:
    def __init__(self, content=None):
        self.content = content

    def get(self):
        return self.content

    def set(self, content):
        self.content = content


class Skills:
    def __init__(self):
        self.written = []

    def get(self):
        return "- a: A"

    def load(self, key):
        return "Text of a" if key == "a" else None

    def set(self, key, content, description=None):
        self.written.append((key, content, description))


class Notes:
    def get(self):
        return None

    def search(self, query):
        return f"found {query}"


class Broken:
    def get(self):
        return "x"

    def set(self, content):
        raise RuntimeError("the disk is full")


def ask(session, name, source, max_tokens=None, **arguments):
    own = [PythonBlock("own", source, max_tokens=max_tokens)]
    return call_tool(
        session=session,
        name=name,
        arguments={"label": "own", **arguments},
        caller=KEY,
        own=own,
    )


def test_a_text_is_written(session):
    text = Text()

    assert ask(session, "set_context", text, content="one") == (
        "Written to own. Usage: 2 tokens"
    )
    ask(session, "set_context", text, content="two", action="append")
    ask(session, "set_context", text, content="\nthree", action="append")
    assert text.content == "one\ntwo\nthree"


def test_a_limit_holds(session):
    text = Text("a b")

    assert ask(session, "set_context", text, max_tokens=3, content="a b c d e") == (
        'Error: Block "own" exceeds maxTokens: 7 > 3'
    )
    assert text.content == "a b"


def test_skills(session):
    skills = Skills()

    assert ask(session, "load_context", skills, key="a") == "Text of a"
    assert ask(session, "load_context", skills, key="b") == "Not found: b"
    assert ask(session, "unload_context", skills, key="a").startswith("Unloaded")
    assert (
        ask(session, "set_context", skills, content="x", metadata={"title": "T"})
        == 'Indexed "t" in own.'
    )
    assert skills.written == [("t", "x", "T")]


def test_notes(session):
    assert ask(session, "search_context", Notes(), query="x") == "found x"


def test_what_cannot_be_written(session):
    assert ask(session, "set_context", Notes(), content="x").startswith("Error: ")


def test_what_a_host_raises_is_told(session):
    assert (
        ask(session, "set_context", Broken(), content="x") == "Error: the disk is full"
    )


@pytest.mark.parametrize(
    ("policy", "written"), [("off", True), ("flag", True), ("quarantine", False)]
)
def test_what_is_suspicious_is_refused_where_it_would_be_held(
    session, agent, policy, written
):
    scan_with(agent, policy)
    text = Text()

    answer = ask(session, "set_context", text, content=INJECTION)

    assert (text.content == INJECTION) == written
    assert answer.startswith("Written") == written
