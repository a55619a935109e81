"""What every storage of the facade does, whichever it is."""

from __future__ import annotations

from typing import Any

import pytest

from memoryhub import AgentSessionProvider, MemorySessionProvider, Session
from memoryhub.facade.storage import SessionProvider
from sessions_app.errors import Invalid
from sessions_app.services.compaction.overlays import BadRange, Overlap
from sessions_app.services.writing.conflicts import UnknownParent


class HostStorage:
    """A host's own, async, and without what is optional: enough for the contract."""

    def __init__(self) -> None:
        self.inner = MemorySessionProvider()

    def __getattr__(self, name: str) -> Any:
        if name in ("append_messages", "get_recent_history"):
            raise AttributeError(name)
        method = getattr(self.inner, name)

        async def call(*args: Any) -> Any:
            return method(*args)

        return call


@pytest.fixture(params=["database", "memory", "host"])
def session(request: pytest.FixtureRequest, db: None) -> Session:
    storages: dict[str, Any] = {
        "database": lambda: AgentSessionProvider("support", "trip"),
        "memory": MemorySessionProvider,
        "host": HostStorage,
    }
    return Session(storages[request.param]())


def message(
    uid: str, text: str = "", role: str = "user", **more: Any
) -> dict[str, Any]:
    return {
        "id": uid,
        "role": role,
        "parts": [{"type": "text", "text": text or uid}],
        **more,
    }


def talk(session: Session, words: str) -> None:
    for word in words.split():
        session.append_message(message(word))


def seen(session: Session, leaf: str | None = None) -> str:
    return " ".join(
        f"C[{each['parts'][0]['text']}]" if "compaction" in each["id"] else each["id"]
        for each in session.get_history(leaf)
    )


def latest(session: Session) -> str | None:
    found = session.get_latest_leaf()
    return found["id"] if found else None


def branches(session: Session, uid: str) -> str:
    return " ".join(each["id"] for each in session.get_branches(uid))


def test_ours_are_providers() -> None:
    storages: list[SessionProvider] = [AgentSessionProvider(), MemorySessionProvider()]

    assert storages


def test_an_empty_session(session: Session) -> None:
    assert session.get_history() == []
    assert session.get_latest_leaf() is None
    assert session.get_path_length() == 0
    assert session.get_compactions() == []
    assert session.search("anything") == []
    assert session.get_recent_history(1000) == ([], False, 0)


def test_messages_come_back_as_they_were(session: Session) -> None:
    sent = message(
        "a", metadata={"big": 2**70, "é": [1.5, None]}, createdAt="2026-01-01"
    )

    uid = session.append_message(sent)

    assert uid == "a"
    assert session.get_history() == [sent]
    assert session.get_message("a") == sent


def test_a_message_without_an_id_is_given_one(session: Session) -> None:
    uid = session.append_message({"role": "user", "parts": []})

    assert session.get_message(uid) == {"id": uid, "role": "user", "parts": []}


def test_what_is_not_there(session: Session) -> None:
    talk(session, "a")

    assert session.get_message("nope") is None
    assert session.get_history("nope") == []
    assert session.get_path_length("nope") == 0
    assert session.get_branches("nope") == []


def test_appends_follow_the_head(session: Session) -> None:
    talk(session, "a b c")

    assert seen(session) == "a b c"
    assert latest(session) == "c"
    assert session.get_path_length() == 3


def test_branches(session: Session) -> None:
    talk(session, "a b")

    session.append_message(message("b2"), "a")
    session.append_message(message("c2"))

    assert branches(session, "a") == "b b2"
    assert seen(session) == "a b2 c2"
    assert seen(session, "b") == "a b"
    assert session.get_path_length("b") == 2


def test_a_new_root(session: Session) -> None:
    talk(session, "a b")

    session.append_message(message("other"), None)

    assert seen(session) == "other"


def test_an_unknown_parent_is_refused(session: Session) -> None:
    talk(session, "a")

    with pytest.raises(UnknownParent):
        session.append_message(message("b"), "nope")

    assert seen(session) == "a"


def test_a_retry_changes_nothing(session: Session) -> None:
    talk(session, "a b")

    session.append_message(message("a", "other words"), "b")

    assert seen(session) == "a b"
    assert session.get_message("a") == message("a")


def test_a_batch(session: Session) -> None:
    talk(session, "a b")

    uids = session.append_messages([message("c"), message("b"), message("d")], "a")

    assert uids == ["c", "b", "d"]
    assert seen(session) == "a b d"
    assert seen(session, "c") == "a c"


def test_what_is_no_message_is_refused(session: Session) -> None:
    with pytest.raises(Invalid):
        session.append_message({"id": "a", "role": "user"})
    with pytest.raises(Invalid):
        session.append_message(message("a", metadata={"x": object()}))
    with pytest.raises(Invalid):
        session.append_message(message("a", "half a character: \ud800"))

    assert seen(session) == ""


def test_update(session: Session) -> None:
    talk(session, "a b")

    session.update_message(message("a", "new"))
    session.update_message(message("nope"))

    assert session.get_message("a") == message("a", "new")
    assert seen(session) == "a b"
    assert [hit["id"] for hit in session.search("new")] == ["a"]


def test_upsert(session: Session) -> None:
    talk(session, "a b")

    assert session.upsert_message(message("a", "new")) == "a"
    assert session.upsert_message(message("c"), "a") == "c"

    assert session.get_message("a") == message("a", "new")
    assert seen(session) == "a c"


def test_delete(session: Session) -> None:
    talk(session, "a b c d")

    session.delete_messages(["b", "d", "nope"])

    assert seen(session) == "a c"
    assert latest(session) == "c"


def test_when_the_head_is_deleted_the_newest_leaf_follows(session: Session) -> None:
    talk(session, "a b")
    session.append_message(message("b2"), "a")

    session.delete_messages(["b2"])

    assert latest(session) == "b"


def test_a_deleted_id_may_come_again(session: Session) -> None:
    talk(session, "a b c")

    session.delete_messages(["b"])
    talk(session, "b")

    assert seen(session) == "a c b"


def test_clear(session: Session) -> None:
    talk(session, "a b c")
    session.add_compaction("S", "a", "b")

    session.clear_messages()

    assert seen(session) == ""
    assert session.get_compactions() == []
    assert session.search("a") == []


def test_compaction(session: Session) -> None:
    talk(session, "a b c d")

    made = session.add_compaction("S", "b", "c")

    assert seen(session) == "a C[S] d"
    assert seen(session, "b") == "a b"
    assert session.get_path_length() == 4
    assert session.get_compactions() == [made]
    assert made["from_message_id"] == "b"
    assert made["to_message_id"] == "c"
    synthetic = session.get_history()[1]
    assert synthetic["id"] == f"compaction_{made['id']}"
    assert synthetic["role"] == "assistant"
    assert synthetic["createdAt"] == made["created_at"]
    assert synthetic["metadata"]["compaction"]["count"] == 2
    assert session.get_message(synthetic["id"]) is None


def test_the_summary_of_a_summary(session: Session) -> None:
    talk(session, "a b c d e")
    session.add_compaction("one", "a", "b")

    session.add_compaction("two", "a", "d")

    assert seen(session) == "C[two] e"
    assert [each["summary"] for each in session.get_compactions()] == ["one", "two"]


def test_refused_compactions(session: Session) -> None:
    talk(session, "a b c d e")
    session.append_message(message("b2"), "a")
    session.append_message(message("e2"), "e")
    session.add_compaction("S", "b", "d")

    for first, last in (("c", "b"), ("nope", "b"), ("b", "nope"), ("b2", "c")):
        with pytest.raises(BadRange):
            session.add_compaction("S", first, last)
    for first, last in (("a", "b"), ("c", "e"), ("c", "c")):
        with pytest.raises(Overlap):
            session.add_compaction("S", first, last)

    assert seen(session) == "a C[S] e e2"


def test_compactions_shrink_with_what_is_deleted(session: Session) -> None:
    talk(session, "a b c d e")
    session.add_compaction("S", "b", "d")

    session.delete_messages(["b"])
    assert seen(session) == "a C[S] e"
    session.delete_messages(["d"])
    assert seen(session) == "a C[S] e"
    session.delete_messages(["c"])
    assert seen(session) == "a e"


def test_an_echo_of_a_summary_is_dropped(session: Session) -> None:
    talk(session, "a b c")
    session.add_compaction("S", "a", "b")

    for each in session.get_history():
        session.append_message(each)

    assert seen(session) == "C[S] c"
    assert session.get_path_length() == 3


def test_search(session: Session) -> None:
    session.append_message(message("a", "The deployment is on Friday"))
    session.append_message(message("b", "Noted", role="assistant"))
    session.append_message(message("c", "Friday, or Monday"), "a")

    hits = session.search("friday")

    assert {hit["id"] for hit in hits} == {"a", "c"}
    assert len(session.search("friday", 1)) == 1
    (hit,) = session.search("deployment Friday", limit=10)
    assert (hit["role"], hit["content"]) == ("user", "The deployment is on Friday")
    assert hit["created_at"].endswith("Z")
    assert [hit["id"] for hit in session.search("friday -monday")] == ["a"]
    assert [hit["id"] for hit in session.search('"on friday" OR noted')] != []
