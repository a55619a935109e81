"""``memoryhub.SessionManager``: the seed's registry of sessions."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from memoryhub import AgentSearchProvider, SessionManager, create_compact_function
from sessions_app import models
from sessions_app.errors import Invalid, NotFound
from sessions_app.services.writing.appending import DuplicateId
from sessions_app.services.writing.conflicts import UnknownParent
from tests.facade import Notes, Store, soul
from tests.memoryhub.test_storage_contract import message

pytestmark = pytest.mark.django_db


@pytest.fixture
def manager() -> SessionManager:
    return SessionManager.create("support")


def ids(messages: list[Any]) -> str:
    return " ".join(each["id"] for each in messages)


def test_the_seeds_example() -> None:
    manager = (
        SessionManager.create(agent="support")
        .with_context("soul", provider=soul())
        .with_context("memory", description="Learned facts", max_tokens=1100)
        .with_cached_prompt()
        .on_compaction(
            create_compact_function(summarize=lambda prompt: "S", tail_token_budget=0)
        )
        .compact_after(100)
        .with_searchable_history("history")
    )

    first = manager.create("Parent chat")
    info = manager.create(
        "My chat", parent_session_id=first.id, model="claude", source="web"
    )
    assert (info.name, info.parent_session_id) == ("My chat", first.id)
    assert (info.model, info.source, info.end_reason) == ("claude", "web", None)
    assert manager.get(info.id) == info
    assert manager.get("nope") is None
    assert [each.name for each in manager.list()] == ["My chat", "Parent chat"]

    manager.rename(first.id, "Renamed")
    assert [each.name for each in manager.list()] == ["Renamed", "My chat"]

    session = manager.get_session(info.id)
    assert manager.get_session(info.id) is session
    assert "1100 tokens" in session.freeze_system_prompt()
    assert "2 sessions available for search." in session.freeze_system_prompt()
    assert list(session.tools()) == ["set_context", "search_context"]

    assert manager.append(info.id, message("m1", "The deployment is on Friday")) == "m1"
    assert manager.upsert(info.id, message("m1", "The deployment is on Monday")) == "m1"
    assert manager.upsert(info.id, message("m2"), "m1") == "m2"
    last = manager.append_all(info.id, [message("m3"), message("m4")])
    assert last == "m4"
    assert ids(manager.get_history(info.id)) == "m1 m2 m3 m4"
    assert ids(manager.get_history(info.id, "m2")) == "m1 m2"
    assert manager.get_message_count(info.id) == 4
    assert ids(manager.get_branches(info.id, "m1")) == "m2"
    manager.delete_messages(info.id, ["m4"])
    assert manager.get_message_count(info.id) == 3
    (hit,) = manager.search("deployment Monday", limit=20)
    assert (hit["session_id"], hit["id"], hit["role"]) == (info.id, "m1", "user")

    tools = manager.tools()
    assert list(tools) == ["session_search"]
    found = tools["session_search"].execute({"query": "deployment"})
    assert found == "[user] The deployment is on Monday"
    assert tools["session_search"].execute({"query": "cats"}) == "No results found."
    assert tools["session_search"].execute({}) == 'Error: "query" must be a string'
    other = manager.get_session(first.id).tools()["search_context"]
    assert "Monday" in other.execute({"label": "history", "query": "deployment"})

    forked = manager.fork(info.id, "m2", "Forked chat")
    assert (forked.parent_session_id, forked.name) == (info.id, "Forked chat")
    assert ids(manager.get_history(forked.id)) == "m1 m2"

    made = manager.add_compaction(info.id, "Summary", "m1", "m2")
    assert manager.get_compactions(info.id) == [made]
    manager.add_usage(info.id, 1000, 200, 0.0125)
    manager.add_usage(info.id, 1, 2, Decimal("0.0005"))
    found_info = manager.get(info.id)
    assert found_info
    assert (found_info.input_tokens, found_info.output_tokens) == (1001, 202)
    assert found_info.estimated_cost == 0.013

    split = manager.compact_and_split(info.id, "What we said")
    ended = manager.get(info.id)
    assert ended
    assert ended.end_reason == "compaction"
    assert (split.name, split.parent_session_id) == ("My chat", info.id)
    assert (split.model, split.source) == ("claude", "web")
    (only,) = manager.get_history(split.id)
    assert only["parts"][0]["text"].endswith("\n\nWhat we said")

    manager.append_all(
        first.id, [message(f"w{n}", "many words here") for n in range(20)]
    )
    assert manager.get_history(first.id)[3]["id"].startswith("compaction_")

    manager.clear_messages(info.id)
    assert manager.get_history(info.id) == []
    manager.delete(info.id)
    assert manager.get(info.id) is None
    assert ids(manager.get_history(forked.id)) == "m1 m2"


def test_unknown_sessions_are_refused(manager: SessionManager) -> None:
    calls: list[Any] = [
        lambda: manager.append("nope", message("a")),
        lambda: manager.upsert("nope", message("a")),
        lambda: manager.append_all("nope", []),
        lambda: manager.get_history("nope"),
        lambda: manager.rename("nope", "x"),
        lambda: manager.delete("nope"),
        lambda: manager.fork("nope"),
        lambda: manager.add_usage("nope", 1, 1),
        lambda: manager.create("x", parent_session_id="nope"),
    ]

    for call in calls:
        with pytest.raises(NotFound):
            call()

    assert manager.list() == []


def test_get_session_makes_one_when_it_is_used(manager: SessionManager) -> None:
    session = manager.get_session("mine")
    assert manager.list() == []

    session.append_message(message("a"))

    assert [each.id for each in manager.list()] == ["mine"]
    assert ids(manager.get_history("mine")) == "a"


def test_another_agents_sessions_do_not_exist(manager: SessionManager) -> None:
    info = manager.create("Mine")
    manager.append(info.id, message("a", "secret"))
    stranger = SessionManager.create("stranger")

    assert stranger.get(info.id) is None
    assert stranger.list() == []
    assert stranger.search("secret") == []
    with pytest.raises(NotFound):
        stranger.get_history(info.id)


def test_batches(manager: SessionManager) -> None:
    info = manager.create("Chat")
    manager.append_all(info.id, [message("a"), message("b")])

    with pytest.raises(DuplicateId):
        manager.append_all(info.id, [message("c"), message("c")])
    with pytest.raises(UnknownParent):
        manager.append_all(info.id, [message("c"), message("d")], "nope")

    assert ids(manager.get_history(info.id)) == "a b"
    assert manager.append_all(info.id, [message("x"), message("y")], "a") == "y"
    assert ids(manager.get_history(info.id)) == "a x y"
    assert manager.append_all(info.id, []) is None
    assert manager.append_all(info.id, [], "a") == "a"


def test_stored_blocks_and_prompts_are_each_sessions_own() -> None:
    manager = (
        SessionManager.create("support")
        .with_context("memory")
        .with_context("knowledge", provider=AgentSearchProvider())
        .with_cached_prompt()
    )
    one, two = manager.get_session("one"), manager.get_session("two")

    one.replace_context_block("memory", "Only one")
    one.tools()["set_context"].execute({"label": "knowledge", "content": "blue"})

    assert "Only one" in one.freeze_system_prompt()
    assert "Only one" not in two.freeze_system_prompt()
    found = two.tools()["search_context"].execute(
        {"label": "knowledge", "query": "blue"}
    )
    assert found == "No results found."


def test_objects_that_are_written_to_are_not_shared() -> None:
    manager = SessionManager.create("support")

    with pytest.raises(Invalid, match="function that takes the id"):
        manager.with_context("notes", provider=Notes())
    with pytest.raises(Invalid, match="function that takes the id"):
        manager.with_cached_prompt(Store())

    made: dict[str, Any] = {}
    manager.with_context("notes", provider=lambda key: made.setdefault(key, Notes()))
    manager.with_cached_prompt(lambda key: made.setdefault(f"prompt of {key}", Store()))
    one, two = manager.get_session("one"), manager.get_session("two")
    one.replace_context_block("notes", "Only one")
    assert "Only one" in one.freeze_system_prompt()
    assert "Only one" not in two.freeze_system_prompt()
    assert made["one"].text == "Only one"
    assert sorted(made) == ["one", "prompt of one", "prompt of two", "two"]


def test_readonly_objects_may_be_shared() -> None:
    index = SimpleNamespace(get=lambda: "2 entries", search=lambda query: query)
    manager = SessionManager.create("support").with_context("index", provider=index)

    tool = manager.get_session("one").tools()["search_context"]

    assert tool.execute({"label": "index", "query": "x"}) == "x"


def test_nothing_can_be_used_less_than_not_at_all(manager: SessionManager) -> None:
    info = manager.create("Chat")

    for usage in ((-1, 0, 0), (0, -1, 0), (0, 0, -0.1)):
        with pytest.raises(Invalid):
            manager.add_usage(info.id, *usage)

    manager.add_usage(info.id, 5, 5)
    assert models.Session.objects.get().unpriced == 1


def test_forking_an_unknown_message_is_refused(manager: SessionManager) -> None:
    info = manager.create("Chat")

    with pytest.raises(NotFound):
        manager.fork(info.id, "nope")

    assert len(manager.list()) == 1


def test_search_in_a_fork_finds_what_it_inherited(manager: SessionManager) -> None:
    info = manager.create("Chat")
    manager.append_all(info.id, [message("a", "purple"), message("b", "purple too")])

    forked = manager.fork(info.id, "a")

    hits = manager.get_session(forked.id).search("purple")
    assert ids(list(hits)) == "a"
