from __future__ import annotations

import pytest

from sessions_app.errors import NotFound
from sessions_app.messages import summary_tokens
from sessions_app.services.compaction.overlays import (
    BadRange,
    Overlap,
    StalePlan,
    delete_compaction,
    get_compaction,
    update_compaction,
)
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.writing.deleting import delete_messages
from tests.builders import compact, context_tokens, fresh, say, seen, talk


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c d e f g h")


def switch(session, compaction, state):
    return update_compaction(session=session, uid=compaction.uid, state=state)


def test_it_works(session):
    compaction = compact(session, "b", "d", "what was said", created_by="support key")

    assert seen(session) == "a C[what was said] e f g h"
    assert (compaction.first.uid, compaction.last.uid) == ("b", "d")
    assert (compaction.state, compaction.method) == ("active", "client")
    assert compaction.created_by == "support key"
    assert compaction.tokens_before == 3 * 6
    assert compaction.tokens_after == summary_tokens("what was said")


def test_the_messages_are_still_there(session):
    compact(session, "b", "d")

    assert seen(session, raw=True) == "a b c d e f g h"
    assert session.messages.count() == 8


def test_context_tokens(session):
    before = context_tokens(session)

    compaction = compact(session, "b", "d")

    saved = compaction.tokens_before - compaction.tokens_after
    assert context_tokens(session) == before - saved
    assert fresh(session).hidden_tokens == saved


def test_a_summary_may_be_longer_than_what_it_covers(session):
    compact(session, "b", "b", "many more words than there were before")

    assert fresh(session).hidden_tokens < 0
    assert context_tokens(session) > 8 * 6


def test_one_message(session):
    compact(session, "b", "b")

    assert seen(session) == "a C[S] c d e f g h"


def test_all_of_a_path(session):
    compact(session, "a", "h")

    assert seen(session) == "C[S]"
    say(session, "i")
    assert seen(session) == "C[S] i"


def test_side_by_side(session):
    compact(session, "c", "d", "one")
    compact(session, "a", "b", "two")
    compact(session, "e", "e", "three")

    assert seen(session) == "C[two] C[one] C[three] f g h"


@pytest.mark.parametrize(
    ("first", "last"),
    [("d", "b"), ("nope", "b"), ("b", "nope"), ("nope", "nope")],
)
def test_a_bad_range(session, first, last):
    with pytest.raises(BadRange) as caught:
        compact(session, first, last)

    assert caught.value.code == "bad_range"
    assert not session.compactions.exists()


def test_a_range_over_two_branches(session):
    say(session, "other", parent="c")

    with pytest.raises(BadRange):
        compact(session, "d", "other")


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("a", "c"),
        ("b", "c"),
        ("d", "f"),
        ("e", "g"),
        ("d", "d"),
        ("c", "d"),
        ("d", "e"),
    ],
)
def test_a_range_that_overlaps(session, first, last):
    compaction = compact(session, "c", "e")
    if (first, last) in [("a", "c"), ("d", "f")]:
        # Overlapping both ways, and not just inside.
        assert not (first >= "c" and last <= "e")

    with pytest.raises(Overlap) as caught:
        compact(session, first, last)

    assert caught.value.code == "compaction_overlap"
    assert caught.value.details == {"compaction": compaction.uid}
    assert seen(session) == "a b C[S] f g h"


@pytest.mark.parametrize(
    ("first", "last", "history"),
    [
        ("b", "f", "a C[wide] g h"),
        ("c", "f", "a b C[wide] g h"),
        ("b", "e", "a C[wide] f g h"),
        ("c", "e", "a b C[wide] f g h"),
        ("a", "h", "C[wide]"),
    ],
)
def test_a_range_that_holds_another_is_welcome(session, first, last, history):
    compact(session, "c", "e", "narrow")

    compact(session, first, last, "wide")

    assert seen(session) == history
    assert context_tokens(session) == sum(
        summary_tokens("wide") if "C" in step else 6 for step in seen(session).split()
    )


def test_what_it_held_comes_back_when_it_goes(session):
    compact(session, "c", "d", "narrow")
    wide = compact(session, "b", "e", "wide")

    delete_compaction(session=session, uid=wide.uid)

    assert seen(session) == "a b C[narrow] e f g h"


def test_another_branch_does_not_matter(session):
    talk(session, "x y z", parent="c")
    compact(session, "b", "x", "theirs")
    check_out(session=session, uid="h")

    compact(session, "c", "e", "ours")

    assert seen(session) == "a b C[ours] f g h"
    assert seen(session, "z") == "a C[theirs] y z"


def test_off_the_heads_path_the_end_of_the_range_is_the_leaf(session):
    talk(session, "x y z", parent="c")
    check_out(session=session, uid="h")

    compact(session, "x", "y")
    with pytest.raises(Overlap):
        compact(session, "y", "z")

    assert seen(session, "z") == "a b c C[S] z"
    assert fresh(session).hidden_tokens == 0


def test_a_disabled_one_does_not_matter(session):
    switch(session, compact(session, "b", "d"), "disabled")

    compact(session, "c", "e")

    assert seen(session) == "a b C[S] f g h"


def test_disable_and_enable(session):
    before = context_tokens(session)
    compaction = compact(session, "b", "d")

    assert switch(session, compaction, "disabled").state == "disabled"
    assert seen(session) == "a b c d e f g h"
    assert context_tokens(session) == before

    switch(session, compaction, "active")
    assert seen(session) == "a C[S] e f g h"
    assert context_tokens(session) < before


def test_enabling_what_is_enabled_changes_nothing(session):
    compaction = compact(session, "b", "d")

    switch(session, compaction, "active")

    assert seen(session) == "a C[S] e f g h"


@pytest.mark.parametrize(
    ("first", "last"),
    [("a", "c"), ("d", "f"), ("c", "c"), ("a", "f"), ("b", "d"), ("c", "d")],
)
def test_it_cannot_be_enabled_beside_one_that_overlaps(session, first, last):
    old = compact(session, "b", "d")
    switch(session, old, "disabled")
    new = compact(session, first, last, "new")
    welcome = (first, last) == ("c", "c")

    if welcome:
        switch(session, old, "active")
        assert seen(session) == "a C[S] e f g h"
        return
    with pytest.raises(Overlap) as caught:
        switch(session, old, "active")

    assert caught.value.details == {"compaction": new.uid}
    assert get_compaction(session, old.uid).state == "disabled"


def test_of_two_that_end_together_the_older_cannot_be_enabled_again(session):
    old = compact(session, "b", "d", "old")
    switch(session, old, "disabled")
    compact(session, "c", "d", "new")

    with pytest.raises(Overlap):
        switch(session, old, "active")

    assert seen(session) == "a b C[new] e f g h"


def test_edit_the_summary(session):
    compaction = compact(session, "b", "d")
    before = context_tokens(session)

    changed = update_compaction(
        session=session, uid=compaction.uid, summary="now it has many more words"
    )

    more = summary_tokens("now it has many more words") - summary_tokens("S")
    assert seen(session) == "a C[now it has many more words] e f g h"
    assert context_tokens(session) == before + more
    assert changed.tokens_after == compaction.tokens_after + more


def test_both_at_once(session):
    compaction = compact(session, "b", "d")

    update_compaction(
        session=session, uid=compaction.uid, state="disabled", summary="other"
    )

    compaction.refresh_from_db()
    assert (compaction.state, compaction.summary) == ("disabled", "other")


def test_delete(session):
    before = context_tokens(session)
    compaction = compact(session, "b", "d")

    delete_compaction(session=session, uid=compaction.uid)

    assert seen(session) == "a b c d e f g h"
    assert context_tokens(session) == before


@pytest.mark.parametrize("prefix", ["", "compaction_"])
def test_it_is_found_by_its_id_and_by_that_of_its_message(session, prefix):
    compaction = compact(session, "b", "d")

    assert get_compaction(session, prefix + compaction.uid) == compaction


def test_an_unknown_one(session):
    with pytest.raises(NotFound):
        get_compaction(session, "nope")
    with pytest.raises(NotFound):
        update_compaction(session=session, uid="nope", summary="text")
    with pytest.raises(NotFound):
        delete_compaction(session=session, uid="nope")


def test_that_of_another_session(session):
    compaction = compact(session, "b", "d")
    fork = fork_session(session=session, at="a")

    with pytest.raises(NotFound):
        get_compaction(fork, compaction.uid)


def test_a_plan(session):
    compact(session, "b", "d", planned_at="h")

    assert seen(session) == "a C[S] e f g h"


def test_a_plan_holds_when_the_session_has_gone_on(session):
    say(session, "i")

    compact(session, "b", "d", planned_at="h")

    assert seen(session) == "a C[S] e f g h i"


def test_a_plan_made_at_a_summary(session):
    uid = compact(session, "g", "h", "end").uid

    compact(session, "b", "d", planned_at=f"compaction_{uid}")

    assert seen(session) == "a C[S] e f C[end]"


def test_a_stale_plan(session):
    say(session, "other", parent="g")

    with pytest.raises(StalePlan) as caught:
        compact(session, "b", "d", planned_at="h")

    assert caught.value.code == "stale_plan"
    assert caught.value.details == {"planned_at": "h"}
    assert not session.compactions.exists()


def test_a_plan_made_at_a_message_that_is_gone(session):
    delete_messages(session=session, uids=["h"])

    with pytest.raises(StalePlan):
        compact(session, "b", "d", planned_at="h")


def test_a_fork_compacts_what_it_inherits(session):
    fork = fork_session(session=session, at="d")
    talk(fork, "x y")

    compact(fork, "c", "x")

    assert seen(fork) == "a b C[S] y"
    assert seen(session) == "a b c d e f g h"
    assert fresh(fork).fork_point is not None
