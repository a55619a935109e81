"""Undoing edits and deletions right away: all is as it was."""

from __future__ import annotations

import pytest
from django.db import connection

from sessions_app.models import (
    Compaction,
    KeptMessage,
    Label,
    SearchDocument,
    Usage,
)
from sessions_app.search import Scope
from sessions_app.services.registry.sessions import check_out, clear_session
from sessions_app.services.searching import find_messages
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.undoing.changes import (
    changes_of,
)
from sessions_app.services.writing.editing import set_label
from tests.builders import (
    compact,
    context_tokens,
    counted_tokens,
    draft,
    fresh,
    hidden_tokens,
    say,
    seen,
    talk,
)
from tests.changes import body, delete, edit, places, undo


def test_an_edit_is_undone_as_an_edit(session):
    talk(session, "a b c")
    before = places(session)
    edit(session, "b", "many more words than before", by="key x")

    done = undo(session)

    assert places(session) == before
    assert (done.action, done.by, done.undone_by, done.first) == (
        "edit",
        "key x",
        "me",
        ["b"],
    )
    again = changes_of(session)[0]
    assert (again.by, again.undone_at) == ("me", None)
    undo(session)
    assert body(session, "b") == draft("many more words than before", "b").body
    assert counted_tokens(session) == context_tokens(session)


@pytest.mark.parametrize("uids", ["a", "b", "c", "d", "b c", "c b", "d a b", "a b c d"])
def test_deleted_ones_come_back_where_they_were(session, uids):
    talk(session, "a b c d")
    talk(session, "e f", parent="b")
    check_out(session=session, uid="c")
    before = places(session)
    delete(session, uids)

    undo(session)

    assert places(session) == before
    assert (seen(session, "d"), seen(session, "f")) == ("a b c d", "a b e f")
    ids = set(session.messages.values_list("id", flat=True))
    assert {each.skip for each in session.messages.all()} <= ids | {None}
    assert not KeptMessage.objects.exists()
    connection.check_constraints()


@pytest.mark.parametrize("uids", ["a", "b", "c b", "f c"])
def test_a_subtree_comes_back(session, uids):
    talk(session, "a b c d")
    talk(session, "e f", parent="b")
    before = places(session)
    delete(session, uids, "subtree")

    undo(session)

    assert places(session) == before
    assert seen(session, "d") == "a b c d"
    assert SearchDocument.objects.count() == 6


def test_a_cleared_session_comes_back(session):
    talk(session, "a b c")
    say(session, "other", parent=None)
    check_out(session=session, uid="b")
    uid = compact(session, "a", "b").uid
    set_label(session=session, uid="c", text="L")
    row, _ = add_usage(session=session, tokens=Tokens(1), message="c")
    before = places(session)
    clear_session(session=session)

    change = undo(session)

    assert (change.action, change.count, change.first) == (
        "clear",
        4,
        ["a", "b", "c", "other"],
    )
    assert places(session) == before
    assert seen(session) == "C[S]"
    assert hidden_tokens(session) == 6
    assert Compaction.objects.get().uid == uid
    assert Label.objects.get().message.uid == "c"
    row.refresh_from_db()
    assert row.message.uid == "c"


@pytest.mark.parametrize("uids", ["b", "d", "b c", "d c", "b c d", "c d b"])
def test_compactions_get_their_ends_back(session, uids):
    talk(session, "a b c d e")
    compact(session, "b", "d")
    delete(session, uids)

    undo(session)

    row = Compaction.objects.get()
    assert (row.first.uid, row.last.uid, row.state) == ("b", "d", "active")
    assert seen(session) == "a C[S] e"
    assert hidden_tokens(session) == 12


def test_search_labels_and_usage_come_back(session):
    talk(session, "a zebra c")
    set_label(session=session, uid="zebra", text="L")
    row, _ = add_usage(session=session, tokens=Tokens(1), message="zebra")
    delete(session, "zebra")
    assert not find_messages(text="zebra", scope=Scope()).hits

    undo(session)

    (hit,) = find_messages(text="zebra", scope=Scope()).hits
    assert hit.message == "zebra"
    assert session.labels.get().text == "L"
    assert Usage.objects.get().message.uid == "zebra"
    assert fresh(session).input_tokens == 1
