from __future__ import annotations

import pytest
from django.db import connection

from sessions_app.models import Compaction, Message, SearchDocument
from sessions_app.services.compaction.overlays import update_compaction
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import set_label
from tests.builders import (
    compact,
    context_tokens,
    fresh,
    head,
    hidden_tokens,
    say,
    seen,
    talk,
)


def delete(session, uids, mode="reparent"):
    return delete_messages(session=session, uids=uids.split(), mode=mode)


def test_it_works(session):
    talk(session, "a b c d")

    assert delete(session, "b") == 1

    assert seen(session) == "a c d"
    assert fresh(session).message_count == 3
    assert not SearchDocument.objects.filter(text="b").exists()


def test_what_is_below_moves_up(session):
    talk(session, "a b c")
    tokens = context_tokens(session, "a")

    delete(session, "b")

    message = session.messages.get(uid="c")
    assert (message.parent.uid, message.depth, message.path_tokens) == (
        "a",
        1,
        2 * tokens,
    )


def test_several(session):
    talk(session, "a b c d e")

    assert delete(session, "d b a") == 3

    assert seen(session) == "c e"


def test_unknown_ids_are_ignored(session):
    talk(session, "a b")

    assert delete(session, "nope a nope a") == 1

    assert seen(session) == "b"


def test_nothing_to_delete_changes_nothing(session):
    say(session, "a")
    before = fresh(session).updated_at

    assert delete(session, "nope") == 0

    assert fresh(session).updated_at == before


def test_no_ids(session):
    assert delete(session, "") == 0


def test_a_root(session):
    talk(session, "a b c")
    say(session, "other", parent="a")

    delete(session, "a")

    assert seen(session, "c") == "b c"
    assert seen(session, "other") == "other"
    assert session.messages.filter(parent=None, depth=0).count() == 2


def test_a_branching_message(session):
    talk(session, "a b c")
    talk(session, "d e", parent="b")

    delete(session, "b")

    assert seen(session, "c") == "a c"
    assert seen(session, "e") == "a d e"


def test_a_subtree(session):
    talk(session, "a b c")
    talk(session, "d e", parent="b")
    say(session, "f", parent="a")

    assert delete(session, "b", "subtree") == 4

    assert seen(session) == "a f"
    assert fresh(session).message_count == 2
    assert SearchDocument.objects.count() == 2


def test_a_subtree_may_hold_what_else_is_to_go(session):
    talk(session, "a b c")

    assert delete(session, "b c", "subtree") == 2

    assert seen(session) == "a"


def test_everything(session):
    talk(session, "a b")

    assert delete(session, "a", "subtree") == 2

    assert (head(session), fresh(session).message_count) == (None, 0)
    say(session, "c")
    assert seen(session) == "c"


def test_an_id_may_be_used_again(session):
    talk(session, "a b c")

    delete(session, "b")
    say(session, "b")

    assert seen(session) == "a c b"


def test_the_head_becomes_the_newest_leaf(session):
    talk(session, "a b")
    say(session, "c", parent="a")
    say(session, "d", parent="b")

    delete(session, "d")

    assert head(session) == "c"


def test_the_head_stays_where_something_else_goes(session):
    talk(session, "a b c")
    check_out(session=session, uid="b")

    delete(session, "a c")

    assert head(session) == "b"


def test_the_head_of_a_fork_becomes_its_fork_point(session):
    talk(session, "a b c")
    fork = fork_session(session=session, at="b")
    say(fork, "d")

    delete(fork, "d")

    assert head(fork) == "b"
    assert fresh(fork).fork_point is not None


@pytest.mark.parametrize(
    ("uids", "first", "last", "history"),
    [
        ("b", "c", "d", "a C[S] e"),
        ("d", "b", "c", "a C[S] e"),
        ("c", "b", "d", "a C[S] e"),
        ("b c", "d", "d", "a C[S] e"),
        ("c d", "b", "b", "a C[S] e"),
        ("a", "b", "d", "C[S] e"),
    ],
)
def test_a_compaction_loses_its_ends(session, uids, first, last, history):
    talk(session, "a b c d e")
    compact(session, "b", "d")

    delete(session, uids)

    compaction = Compaction.objects.get()
    assert (compaction.first.uid, compaction.last.uid) == (first, last)
    assert seen(session) == history
    assert hidden_tokens(session) == 6 * (
        compaction.last.depth - compaction.first.depth
    )


def test_a_compaction_of_nothing_goes(session):
    talk(session, "a b c")
    compact(session, "b", "b")

    delete(session, "b")

    assert not Compaction.objects.exists()
    assert seen(session) == "a c"
    assert fresh(session).hidden_tokens == 0


def test_a_disabled_compaction_is_mended_too(session):
    talk(session, "a b c d")
    uid = compact(session, "b", "c").uid
    update_compaction(session=session, uid=uid, state="disabled")

    delete(session, "c")
    update_compaction(session=session, uid=uid, state="active")

    assert seen(session) == "a C[S] d"


def test_a_subtree_cuts_a_compaction_short(session):
    talk(session, "a b c d")
    compact(session, "a", "c")

    delete(session, "b", "subtree")

    assert seen(session) == "C[S]"
    assert Compaction.objects.get().last.uid == "a"


def test_a_compaction_inside_a_subtree_goes(session):
    talk(session, "a b c d")
    compact(session, "b", "c")

    delete(session, "b", "subtree")

    assert not Compaction.objects.exists()


def test_labels_go_and_the_ledger_stays(session):
    talk(session, "a b")
    set_label(session=session, uid="b", text="here")
    row, _ = add_usage(session=session, tokens=Tokens(1), message="b")

    delete(session, "b")

    assert not session.labels.exists()
    row.refresh_from_db()
    assert row.message is None
    assert fresh(session).input_tokens == 1


def test_a_fork_deletes_what_it_inherits(session):
    talk(session, "a b c")
    fork = fork_session(session=session)

    assert delete(fork, "b") == 1

    assert seen(fork) == "a c"
    assert seen(session) == "a b c"
    assert fresh(fork).fork_point is None
    assert fresh(fork).message_count == 2


def test_a_fork_deletes_a_subtree_that_it_inherits(session):
    talk(session, "a b c")
    fork = fork_session(session=session)
    say(fork, "d")

    assert delete(fork, "b", "subtree") == 3

    assert seen(fork) == "a"
    assert seen(session) == "a b c"


def test_a_fork_in_a_subtree_keeps_what_it_had(session):
    talk(session, "a b c d")
    fork = fork_session(session=session, at="c")
    say(fork, "e")

    assert delete(session, "b", "subtree") == 3

    assert seen(fork) == "a b c e"
    assert seen(session) == "a"


def test_skip_links_are_mended(session):
    talk(session, " ".join(f"m{i}" for i in range(64)))

    delete(session, " ".join(f"m{i}" for i in range(0, 64, 3)))

    ids = set(session.messages.values_list("id", flat=True))
    for message in session.messages.all():
        assert message.skip in ids | {None}
    assert seen(session).split() == [f"m{i}" for i in range(64) if i % 3]
    connection.check_constraints()


def test_very_many(session):
    talk(session, " ".join(f"m{i}" for i in range(2000)))

    assert delete(session, "m1", "subtree") == 1999

    assert Message.objects.count() == 1
