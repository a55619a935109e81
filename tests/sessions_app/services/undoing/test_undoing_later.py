"""Undoing when other things have happened since."""

from __future__ import annotations

import pytest

from sessions_app.services.compaction.overlays import delete_compaction
from sessions_app.services.registry.sessions import check_out, clear_session
from sessions_app.services.undoing.changes import (
    changes_of,
)
from sessions_app.services.undoing.restoring import UndoConflict
from tests.builders import (
    compact,
    context_tokens,
    draft,
    fresh,
    head,
    say,
    seen,
    talk,
)
from tests.changes import body, delete, edit, places, undo


def test_undoing_twice(session):
    talk(session, "a b")
    delete(session, "b")
    undo(session)

    with pytest.raises(UndoConflict, match="already"):
        undo(session)

    assert seen(session) == "a b"


def test_what_was_said_after_a_clear_stays_the_head(session):
    talk(session, "a b")
    clear_session(session=session)
    talk(session, "c d")

    undo(session)

    assert (seen(session), seen(session, "b")) == ("c d", "a b")
    assert fresh(session).message_count == 4


def test_after_others_have_appended(session):
    talk(session, "a b c")
    delete(session, "b")
    talk(session, "d", parent="c")
    talk(session, "e", parent="a")

    undo(session)

    assert (seen(session, "d"), seen(session), head(session)) == ("a b c d", "a e", "e")
    assert session.messages.get(uid="d").depth == 3


def test_the_head_stays_where_somebody_has_put_it(session):
    talk(session, "a b c")
    delete(session, "c")
    check_out(session=session, uid="a")

    undo(session)

    assert (head(session), seen(session, "c")) == ("a", "a b c")


def test_a_session_with_messages_has_a_head(session):
    talk(session, "a")
    say(session, "b", parent=None)
    check_out(session=session, uid="a")
    delete(session, "b")
    delete(session, "a")

    undo(session, back=1)

    assert head(session) == "b"


def test_an_edit_above_is_counted(session):
    talk(session, "a b c d")
    delete(session, "b", "subtree")
    edit(session, "a", "many more words than there were before")

    undo(session, back=1)

    assert context_tokens(session) == sum(
        session.messages.values_list("tokens", flat=True)
    )


def conflict(session, back, match):
    before = places(session), list(changes_of(session).values())
    with pytest.raises(UndoConflict, match=match):
        undo(session, back)
    assert (places(session), list(changes_of(session).values())) == before


def test_a_parent_that_is_gone(session):
    talk(session, "a b c")
    delete(session, "c")
    delete(session, "b")

    conflict(session, 1, "'c' followed message 'b', which is gone")
    undo(session)
    undo(session, back=1)

    assert seen(session) == "a b c"


def test_a_reply_that_is_gone(session):
    talk(session, "a b c d")
    delete(session, "b")
    delete(session, "c")

    conflict(session, 1, "'c', which followed 'b'")


def test_an_id_that_was_used_again(session):
    talk(session, "a b c")
    delete(session, "b", "subtree")
    say(session, "c")

    conflict(session, 0, "another message 'c'")


def test_an_edited_message_that_is_gone(session):
    talk(session, "a b")
    edit(session, "b", "new")
    delete(session, "b")

    conflict(session, 1, "undo its deletion first")
    undo(session)
    undo(session, back=1)

    assert body(session, "b") == draft("b", "b").body


def test_in_the_middle_of_several(session):
    talk(session, "a b c d e")
    delete(session, "d b")
    delete(session, "c")

    conflict(session, 1, "'c'")


def test_a_compaction_that_was_deleted_since_stays_away(session):
    talk(session, "a b c d")
    uid = compact(session, "b", "c").uid
    delete(session, "c")
    delete_compaction(session=session, uid=uid)

    undo(session)

    assert seen(session) == "a b c d"
