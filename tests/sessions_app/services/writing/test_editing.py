from __future__ import annotations

import pytest

from sessions_app.errors import NotFound
from sessions_app.models import SearchDocument
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.writing.conflicts import UnknownParent
from sessions_app.services.writing.editing import ReservedId, put_message, set_label
from tests.builders import compact, context_tokens, draft, fresh, head, say, seen, talk


def put(session, text, uid, role="user", **options):
    return put_message(session=session, draft=draft(text, uid, role), **options)


def test_it_works(session):
    talk(session, "a b c")

    message, new = put(session, "something else", "b", "assistant")

    assert not new
    assert message == session.messages.get(uid="b")
    assert message.body == draft("something else", "b", "assistant").body
    assert message.role == "assistant"
    assert seen(session) == "a b c"
    assert head(session) == "c"


def test_the_place_stays(session):
    talk(session, "a b c")
    before = session.messages.get(uid="b")

    after, _ = put(session, "something else", "b")

    for field in ("id", "parent_id", "depth", "seq", "created_at"):
        assert getattr(after, field) == getattr(before, field)


def test_the_tokens_of_the_paths_are_mended(session):
    talk(session, "a b c")
    say(session, "d", parent="a")

    message, _ = put(session, "some more words", "b")

    assert message.tokens == draft("some more words").tokens
    for uid in "bc":
        assert context_tokens(session, uid) == sum(
            session.messages.get(uid=each).tokens for each in seen(session, uid).split()
        )
    assert context_tokens(session, "d") == 12


def test_what_a_compaction_hides_is_counted_anew(session):
    talk(session, "a b c d")
    compact(session, "b", "c", "short")
    before = context_tokens(session)

    put(session, "very many more words than there were", "b")

    assert context_tokens(session) == before


def test_search_finds_the_new_text(session):
    say(session, "a")

    put(session, "new", "a")

    assert SearchDocument.objects.get().text == "new"


def test_the_session_is_touched(session):
    say(session, "a")
    before = fresh(session).updated_at

    put(session, "new", "a")

    assert fresh(session).updated_at >= before


def test_a_new_message_is_added(session):
    say(session, "a")

    message, new = put(session, "text", "b")

    assert new
    assert (message.uid, message.parent.uid) == ("b", "a")
    assert head(session) == "b"


def test_a_new_message_under_a_parent(session):
    talk(session, "a b")

    put(session, "text", "c", parent="a")
    put(session, "text", "d", parent=None)

    assert seen(session, "c") == "a c"
    assert seen(session) == "d"


def test_a_new_message_without_an_id(session):
    message, new = put(session, "text", None)

    assert new
    assert message == session.messages.get()


def test_a_message_never_moves(session):
    talk(session, "a b c")

    put(session, "new", "c", parent="a")

    assert seen(session) == "a b c"


def test_an_unknown_parent(session):
    with pytest.raises(UnknownParent):
        put(session, "text", "a", parent="nope")


def test_the_id_of_a_summary(session):
    talk(session, "a b")
    uid = f"compaction_{compact(session, 'a', 'b').uid}"

    with pytest.raises(ReservedId) as caught:
        put(session, "another summary", uid)

    assert caught.value.code == "reserved_id"
    assert session.messages.count() == 2


def test_a_fork_edits_what_it_inherits(session):
    talk(session, "a b")
    fork = fork_session(session=session)
    say(fork, "c")

    message, new = put(fork, "new", "a")

    assert not new
    assert message.session == fork
    assert session.messages.get(uid="a").body == draft("a", "a").body
    assert fresh(fork).fork_point is None
    assert seen(fork) == "a b c"


def test_a_fork_does_not_see_the_edit(session):
    talk(session, "a b")
    fork = fork_session(session=session)

    put(session, "new", "a")

    assert fork.messages.get(uid="a").body == draft("a", "a").body
    assert session.messages.get(uid="a").body == draft("new", "a").body


def test_an_edit_below_a_fork_leaves_it(session):
    talk(session, "a b")
    fork = fork_session(session=session, at="a")

    put(session, "new", "b")

    assert fresh(fork).fork_point is not None


def test_label(session):
    say(session, "a")

    set_label(session=session, uid="a", text="start")
    set_label(session=session, uid="a", text="beginning")

    assert [label.text for label in session.labels.all()] == ["beginning"]


def test_a_label_is_taken_away(session):
    say(session, "a")
    set_label(session=session, uid="a", text="start")

    set_label(session=session, uid="a", text=None)
    set_label(session=session, uid="a", text=None)

    assert not session.labels.exists()


def test_a_label_on_an_unknown_message(session):
    with pytest.raises(NotFound):
        set_label(session=session, uid="nope", text="start")


def test_a_fork_labels_what_it_inherits_for_itself(session):
    say(session, "a")
    fork = fork_session(session=session)

    set_label(session=fork, uid="a", text="start")

    assert fork.labels.get().message.session == session
    assert not session.labels.exists()
    assert fresh(fork).fork_point is not None
