"""What a host's code says wrongly is refused at once, in words, and nothing is written."""

from __future__ import annotations

import threading
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from context_app.services.creating import BlockExists
from memoryhub import MemorySessionProvider, Session, SessionManager
from sessions_app.errors import Invalid
from sessions_app.models import Session as Row

pytestmark = pytest.mark.django_db


def said(uid, text="hello"):
    return {"id": uid, "role": "user", "parts": [{"type": "text", "text": text}]}


@pytest.fixture(params=["database", "memory"])
def session(request):
    if request.param == "database":
        return Session.create("support").for_session("trip")
    return Session.create(MemorySessionProvider())


@pytest.mark.parametrize("message", [None, 5, "x", [], {"id": 5, "role": "u"}])
def test_what_is_no_message(session, message):
    for write in (session.append_message, session.upsert_message):
        with pytest.raises(Invalid):
            write(message)

    assert session.get_history() == []


def test_one_id_is_not_many(session):
    """A text is a sequence of texts, too."""
    for uid in ("m1", "m", "1"):
        session.append_message(said(uid))

    session.delete_messages("m1")

    assert [each["id"] for each in session.get_history()] == ["m", "1"]


@pytest.mark.parametrize("content", [None, 5, ["x"]])
def test_what_is_no_text_is_not_written(content):
    session = Session.create("support").with_context("memory")
    session.replace_context_block("memory", "Likes Rome.")

    for write in (session.replace_context_block, session.append_context_block):
        with pytest.raises(Invalid, match="content"):
            write("memory", content)

    block = session.get_context_block("memory")
    assert block is not None
    assert block.content == "Likes Rome."


class Soul:
    def get(self) -> str:
        return "Be brief."


@pytest.mark.parametrize(
    "provider", [object(), {"get": Soul().get}, Soul, 5, SimpleNamespace(get="x")]
)
def test_what_is_no_provider(session, provider):
    with pytest.raises(Invalid, match=r"get\(\)"):
        session.with_context("soul", provider=provider)
    session.freeze_system_prompt()
    for each in (provider, lambda _: provider):
        with pytest.raises(Invalid, match=r"get\(\)"):
            session.add_context("soul", provider=each)

    assert session.get_context_blocks() == []


@pytest.mark.parametrize("options", [{"label": ""}, {"label": 5}, {"max_tokens": -1}])
def test_what_is_no_block(session, options):
    with pytest.raises(Invalid):
        session.add_context(**{"label": "soul", "provider": Soul(), **options})

    assert session.get_context_blocks() == []


@pytest.mark.parametrize("tokens", [-1, "5", 1.5, None, True])
def test_what_is_no_threshold(tokens):
    with pytest.raises(Invalid, match="compact_after"):
        Session.create("support").compact_after(tokens)


@pytest.mark.parametrize(
    "result", ["summed up", 5, {"fromMessageId": "a", "toMessageId": "a"}]
)
def test_what_is_no_compaction(session, result):
    session.on_compaction(lambda history: result)
    session.append_message(said("a"))

    with pytest.raises(Invalid, match="must return"):
        session.compact()


def test_what_is_no_compaction_function(session):
    with pytest.raises(Invalid, match="function"):
        session.on_compaction("summarize")


def test_a_summary_that_says_nothing(session):
    session.append_message(said("a"))

    with pytest.raises(Invalid, match="empty"):
        session.add_compaction(" ", "a", "a")

    assert session.get_compactions() == []


@pytest.mark.parametrize("name", [None, 5, "x" * 501, "a\0b", "\ud800"])
def test_what_is_no_name(name):
    manager = SessionManager.create("support")
    chat = manager.create("Trip")

    for write in (
        manager.create,
        lambda name: manager.rename(chat.id, name),
        lambda name: manager.fork(chat.id, None, name),
        lambda name: manager.compact_and_split(chat.id, "So far", name),
    ):
        with pytest.raises(Invalid, match="name"):
            write(name)

    assert [each.name for each in manager.list()] == ["Trip"]


@pytest.mark.parametrize(
    "used",
    [
        (1.5, 0, 0),
        ("1", 0, 0),
        (True, 0, 0),
        (10**30, 0, 0),
        (0, -1, 0),
        (0, 0, float("nan")),
        (0, 0, float("inf")),
        (0, 0, Decimal("nan")),
        (0, 0, -1),
        (0, 0, 1e30),
        (0, 0, "1"),
    ],
)
def test_what_nobody_can_use(used):
    manager = SessionManager.create("support")
    chat = manager.create("Trip")

    with pytest.raises(Invalid):
        manager.add_usage(chat.id, *used)

    row = Row.objects.get(key=chat.id)
    assert (row.input_tokens, row.output_tokens, row.cost_nanos) == (0, 0, None)


def test_the_history_block_has_a_label_of_its_own():
    with pytest.raises(BlockExists, match="already exists"):
        SessionManager.create("a").with_context("x").with_searchable_history("x")
    with pytest.raises(BlockExists, match="already exists"):
        SessionManager.create("a").with_searchable_history("x").with_context("x")


class Notes:
    text = ""

    def get(self) -> str:
        return self.text

    def set(self, content: str) -> None:
        self.text = content


def test_threads_may_share_a_session_in_memory():
    session = Session.create(MemorySessionProvider())
    session.with_context("memory", provider=Notes())
    wrong: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(40):
                session.append_message(said(f"{number}-{i}"))
                session.get_branches(f"{number}-{i}")
                session.search("hello")
                session.append_context_block("memory", f"{number}-{i}")
                write = session.tools()["set_context"].execute
                change: dict[str, Any] = {"label": "memory", "action": "append"}
                write({**change, "content": f"tool {number}-{i}"})
        except BaseException as exc:
            wrong.append(exc)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert wrong == []
    assert len(session.get_history()) == session.get_path_length() == 160
    block = session.get_context_block("memory")
    assert block is not None
    assert len(block.content.split("\n")) == 320
