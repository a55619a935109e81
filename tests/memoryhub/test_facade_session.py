"""``memoryhub.Session``: the seed's surface, over the product's services."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest
from django.db import connection

from context_app.models import Block
from context_app.services.blocks import set_block
from context_app.services.creating import BlockExists
from memoryhub import (
    AgentSessionProvider,
    Change,
    MemorySessionProvider,
    Session,
    create_compact_function,
)
from memoryhub.facade.context.stored import DEVELOPER
from sessions_app import models
from sessions_app.errors import Conflict, Invalid, NotFound
from sessions_app.services.registry.sessions import delete_session
from tests.facade import soul, trip
from tests.memoryhub.test_storage_contract import message, seen, talk

RULE = "═" * 46


@pytest.mark.django_db
def test_the_seeds_example() -> None:
    def summarize(prompt: str) -> str:
        assert "## Key Points" in prompt
        return "## Topic\nCoffee"

    session = (
        Session.create(agent="support")
        .with_cached_prompt()
        .compact_after(100_000)
        .on_compaction(
            create_compact_function(
                summarize=summarize,
                protect_head=3,
                tail_token_budget=20,
                min_tail_messages=2,
            )
        )
        .with_context("soul", description="Identity", provider=soul())
        .with_context("memory", description="Learned facts", max_tokens=1100)
        .for_session("trip")
    )

    session.append_message(message("msg-1", "When is the deployment?"))
    session.append_message(message("msg-2", "On Friday.", role="assistant"))
    session.append_message(message("msg-2b", "On Monday.", role="assistant"), "msg-1")
    assert seen(session) == "msg-1 msg-2b"
    assert seen(session, "msg-2") == "msg-1 msg-2"
    assert [each["id"] for each in session.get_branches("msg-1")] == ["msg-2", "msg-2b"]
    assert session.get_path_length() == 2
    assert session.get_latest_leaf() == session.get_message("msg-2b")
    session.update_message(message("msg-2b", "On Tuesday.", role="assistant"))
    (hit,) = session.search("Tuesday", limit=10)
    assert hit["content"] == "On Tuesday."

    system = session.freeze_system_prompt()
    tools = session.tools()
    assert system == (
        f"{RULE}\nSOUL (Identity) [readonly]\n{RULE}\nYou are helpful.\n\n"
        f"{RULE}\nMEMORY (Learned facts) [0% — 0/1100 tokens] [writable]\n{RULE}\n"
    )
    assert list(tools) == ["set_context"]
    assert tools["set_context"].input_schema["properties"]["label"]["enum"] == [
        "memory"
    ]
    written = tools["set_context"].execute(
        {"label": "memory", "content": "User likes coffee."}
    )
    assert written == "Written to memory. Usage: 0% (5/1100 tokens)"

    block = session.append_context_block("memory", "\nUser prefers dark roast.")
    assert block.content == "User likes coffee.\nUser prefers dark roast."
    assert session.freeze_system_prompt() == system
    assert "dark roast" in session.refresh_system_prompt()
    session.replace_context_block("memory", "User likes tea.")
    found = session.get_context_block("memory")
    assert found
    assert (found.content, found.tokens, found.max_tokens) == (
        "User likes tea.",
        4,
        1100,
    )
    assert (found.writable, found.is_skill, found.is_searchable) == (True, False, False)
    assert [each.label for each in session.get_context_blocks()] == ["soul", "memory"]

    session.add_context("extension-notes", description="From X", max_tokens=500)
    assert "EXTENSION-NOTES (From X)" in session.refresh_system_prompt()
    assert session.remove_context("extension-notes")
    assert not session.remove_context("extension-notes")
    assert "EXTENSION" not in session.refresh_system_prompt()

    talk(session, " ".join(f"word-{number}" for number in range(12)))
    result = session.compact()
    assert result
    assert result["summary"] == "## Topic\nCoffee"
    assert session.get_compactions() == [result]
    history = session.get_history()
    assert history[3]["id"] == f"compaction_{result['id']}"
    assert len(history) < session.get_path_length() == 14

    session.delete_messages(["msg-1", "msg-2"])
    session.clear_messages()
    assert session.get_history() == []
    assert "User likes tea." in session.freeze_system_prompt()


@pytest.mark.django_db
def test_another_object_sees_the_same_session() -> None:
    first = Session.create("support").for_session("trip").with_context("memory")
    first.with_cached_prompt().append_message(message("a"))
    first.replace_context_block("memory", "Facts")
    prompt = first.freeze_system_prompt()
    first.replace_context_block("memory", "Other facts")

    second = Session.create("support").for_session("trip").with_context("memory")
    second.with_cached_prompt()

    assert seen(second) == "a"
    assert second.freeze_system_prompt() == prompt
    found = second.get_context_block("memory")
    assert found
    assert found.content == "Other facts"
    assert seen(Session.create("support").for_session("other")) == ""
    assert seen(Session.create("stranger").for_session("trip")) == ""


@pytest.mark.django_db
def test_nothing_is_made_before_the_first_use() -> None:
    session = Session.create("support").with_context("memory").with_cached_prompt()

    assert not models.Session.objects.exists()

    session.get_history()
    assert models.Session.objects.get().key == "default"


@pytest.mark.django_db
def test_builder_methods_come_before_the_first_use() -> None:
    session = Session.create("support").with_context("memory")
    with pytest.raises(BlockExists):
        session.with_context("memory")
    session.get_history()

    for method in (
        lambda: session.with_context("late"),
        lambda: session.for_session("other"),
        session.with_cached_prompt,
        lambda: session.compact_after(5),
        lambda: session.on_compaction(print),
    ):
        with pytest.raises(Conflict, match="in use"):
            method()


def test_a_storage_without_search() -> None:
    class Bare:
        def __getattr__(self, name: str) -> Any:
            if name == "search_messages":
                raise AttributeError(name)
            return getattr(inner, name)

    inner = MemorySessionProvider()

    with pytest.raises(Invalid, match="does not support search"):
        Session.create(Bare()).search("x")


@pytest.mark.django_db
def test_a_counter_of_the_hosts() -> None:
    counted = create_compact_function(
        summarize=lambda prompt: "S", token_counter=lambda m: 1000 * len(m)
    )
    session = trip().on_compaction(counted)
    session.compact_after(29_999, token_counter=lambda m: 1000 * len(m))

    talk(session, " ".join(map(str, range(29))))
    assert session.get_compactions() == []
    talk(session, "29")

    assert seen(session).startswith("0 1 2 C[S] 10 11")


@pytest.mark.django_db
def test_changes() -> None:
    changes: list[Change] = []
    session = trip().on_change(changes.append)
    first = message("a")

    session.append_message(first)
    session.append_message(first)
    session.update_message(message("a", "new"))
    session.update_message(message("nope"))
    session.delete_messages(["a"])
    session.clear_messages()
    session.on_change(None)
    session.append_message(message("b"))

    assert changes == [
        Change("append", first),
        Change("append", first, inserted=False),
        Change("update", message("a", "new")),
        Change("delete", message_ids=["a"]),
        Change("clear"),
    ]


@pytest.mark.django_db
def test_recent_history() -> None:
    session = trip()
    talk(session, "a b c d e")
    size = len(b'{"id":"a","role":"user","parts":[{"type":"text","text":"a"}]}')

    recent = session.get_recent_history(2 * size, 1)
    assert [each["id"] for each in recent.messages] == ["d", "e"]
    assert recent.truncated
    assert recent.total_content_bytes == 5 * size
    assert len(session.get_recent_history(0).messages) == 1
    assert len(session.get_recent_history(0, 3).messages) == 3
    assert session.get_recent_history(9 * size) == (
        session.get_history(),
        False,
        5 * size,
    )

    session.add_compaction("S", "a", "d")
    recent = session.get_recent_history(2 * size)
    assert [each["parts"][0]["text"] for each in recent.messages] == ["S", "e"]


@pytest.mark.django_db
def test_a_fork_is_searched_whole(session: models.Session) -> None:
    facade = Session(AgentSessionProvider(session.agent, "trip"))
    facade.append_message(message("a", "purple"))

    assert facade.search("purple") != []


@pytest.mark.django_db
def test_a_session_that_was_deleted_is_not_there() -> None:
    session = trip()
    session.append_message(message("a"))

    delete_session(session=models.Session.objects.get())

    with pytest.raises(NotFound):
        session.get_history()
    with pytest.raises(NotFound):
        session.append_message(message("b"))


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "a\0b", "x" * 201])
def test_what_is_no_id_is_refused(key: str) -> None:
    with pytest.raises(Invalid, match="session_id"):
        Session.create("support").for_session(key).get_history()


@pytest.mark.django_db
def test_an_operators_change_is_seen_at_once() -> None:
    session = trip(context=[{"label": "memory"}])
    session.get_history()

    set_block(block=Block.objects.get(), content="Mended", author=DEVELOPER)

    found = session.get_context_block("memory")
    assert found
    assert found.content == "Mended"


@pytest.mark.django_db(transaction=True)
def test_threads() -> None:
    session = trip(context=[{"label": "memory"}])
    errors: list[Exception] = []

    def work(name: str) -> None:
        try:
            for number in range(5):
                session.append_message(message(f"{name}{number}"))
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert session.get_path_length() == 15


def test_the_package_loads_no_models() -> None:
    code = (
        "import sys, memoryhub, memoryhub.settings\n"
        "assert 'sessions_app.models' not in sys.modules\n"
        "import django, os\n"
        "os.environ['DJANGO_SETTINGS_MODULE'] = 'memoryhub.settings'\n"
        "django.setup()\n"
        "from memoryhub import Session, SessionManager\n"
        "names = {name: getattr(memoryhub, name) for name in memoryhub.__all__}\n"
        "assert len(names) == len(memoryhub.MODULES) + 1\n"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
