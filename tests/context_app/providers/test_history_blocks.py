from __future__ import annotations

import pytest

from context_app.services.contexts import context_of
from context_app.services.rules import ReadonlyBlock
from sessions_app.services.forest.creating import create_session
from tests.blocks import block, content, entry, tool
from tests.builders import say


def history(owner, **fields):
    return block(owner, "history", kind="search", source="history", **fields)


def test_it_works(session, agent):
    other = create_session(agent=agent, key="other")
    say(other, "The deployment is on Friday", uid="m", role="assistant")
    say(session, "deployment?", uid="n")

    made = history(session)

    assert made.content == "2 sessions available for search."
    assert made.description == "Cross-session conversation history"
    answer = tool(session, "search_context", label="history", query="deployment")
    assert set(answer.split("\n---\n")) == {
        "[assistant] The deployment is on Friday",
        "[user] deployment?",
    }
    assert tool(session, "search_context", label="history", query="none") == (
        "No results found."
    )


def test_one_session(session):
    assert history(session).content == "1 session available for search."


def test_an_agent_without_sessions(agent):
    assert history(agent, shared=True).content == ""


def test_other_agents_are_not_searched(session, stranger):
    say(create_session(agent=stranger), "deployment", uid="m")
    history(session)

    assert tool(session, "search_context", label="history", query="deployment") == (
        "No results found."
    )


def test_the_number_is_counted_anew_when_asked(session, agent):
    history(session)
    create_session(agent=agent)

    assert content(session, "history").startswith("1 ")
    (shown,) = context_of(session, live=True)
    assert shown.content.startswith("2 ")


def test_it_is_not_written(session):
    made = history(session)

    assert not made.writable
    with pytest.raises(ReadonlyBlock) as caught:
        entry(made, "a", "x")
    assert caught.value.message == 'Block "history" does not support writes'
