from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.models import Agent, Message, Session
from sessions_app.search import Scope
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import read_history
from sessions_app.services.forest.trees import leaves
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.searching import find_messages
from sessions_app.services.writing.editing import set_label
from tests.builders import (
    compact,
    context_tokens,
    counted_tokens,
    fresh,
    head,
    say,
    seen,
    talk,
)


@pytest.fixture
def tree(session: Session) -> Session:
    """
    a b c d e, where x y follow b, and z follows d; the head is e.
    """
    talk(session, "a b c d e")
    talk(session, "x y", parent="b")
    talk(session, "z", parent="d")
    check_out(session=session, uid="e")
    return fresh(session)


def uids(session: Session) -> set[str]:
    """Return the ids of all that a session sees, by its leaves."""
    found: set[str] = set()
    for leaf in leaves(session, before=None, limit=100):
        found |= set(seen(session, leaf.uid, raw=True).split())
    return found


def test_path_copies_nothing(tree: Session) -> None:
    fork = fork_session(session=tree, at="c")

    assert fork.messages.count() == 0
    assert uids(fork) == {"a", "b", "c"}
    assert head(fork) == "c"


def test_branches_below_come_along(tree: Session) -> None:
    fork = fork_session(session=tree, at="c", include="branches")

    assert uids(fork) == {"a", "b", "c", "d", "e", "z"}
    assert set(fork.messages.values_list("uid", flat=True)) == {"d", "e", "z"}
    assert fork.message_count == 6
    assert seen(fork) == "a b c d e"
    assert seen(fork, "z") == "a b c d z"


def test_whole_tree_comes_along(tree: Session) -> None:
    fork = fork_session(session=tree, at="c", include="tree")

    assert uids(fork) == uids(tree) == {"a", "b", "c", "d", "e", "x", "y", "z"}
    assert fork.message_count == tree.message_count == 8
    assert seen(fork, "y") == "a b x y"
    assert head(fork) == "e"


def test_head_stays_at_the_point_if_the_other_is_not_taken(tree: Session) -> None:
    check_out(session=tree, uid="y")

    fork = fork_session(session=tree, at="d", include="branches")

    assert head(fork) == "d"
    assert uids(fork) == {"a", "b", "c", "d", "e", "z"}


def test_head_may_lie_above_the_point(tree: Session) -> None:
    check_out(session=tree, uid="b")

    fork = fork_session(session=tree, at="e", include="tree")

    assert seen(fork) == "a b"


def test_other_roots_belong_to_the_tree(tree: Session) -> None:
    talk(tree, "r s", parent=None)

    fork = fork_session(session=fresh(tree), at="e", include="tree")

    assert seen(fork) == "r s"
    assert uids(fork) >= {"a", "e", "r", "s"}


def test_copies_are_apart_from_the_originals(tree: Session) -> None:
    fork = fork_session(session=tree, at="c", include="tree")

    say(fork, "new")
    say(fresh(tree), "other")

    assert seen(fork) == "a b c d e new"
    assert seen(tree) == "a b c d e other"


def test_ids_grow_along_each_copied_branch(tree: Session) -> None:
    fork = fork_session(session=tree, at="a", include="tree")

    for message in Message.objects.filter(session=fork):
        assert (message.parent_id or 0) < message.id
        assert (message.skip or 0) < message.id


def test_leaves_come_page_by_page(tree: Session) -> None:
    fork = fork_session(session=tree, at="c", include="tree")
    assert fork.next_seq > max(fork.messages.values_list("seq", flat=True))

    found: list[str] = []
    before = None
    while page := leaves(fork, before=before, limit=1)[:1]:
        found.append(page[0].uid)
        before = page[0].seq
    assert sorted(found) == ["e", "y", "z"]


def test_fork_of_a_fork_takes_what_it_inherits(tree: Session) -> None:
    fork = fork_session(session=tree, at="d")
    talk(fork, "f g", parent="b")

    second = fork_session(session=fresh(fork), at="a", include="tree")

    assert uids(second) == uids(fork) == {"a", "b", "c", "d", "f", "g"}
    assert seen(second) == "a b f g"


def test_branches_of_other_forks_stay_where_they_are(tree: Session) -> None:
    other = fork_session(session=tree, at="c")
    talk(other, "theirs")

    fork = fork_session(session=fresh(tree), at="b", include="branches")

    assert "theirs" not in uids(fork)


def test_compactions_come_where_they_lie(tree: Session) -> None:
    compact(tree, "a", "b", "AB")
    compact(tree, "d", "e", "DE")
    check_out(session=fresh(tree), uid="y")
    compact(fresh(tree), "x", "y", "XY")
    check_out(session=fresh(tree), uid="e")
    tree = fresh(tree)

    assert seen(fork_session(session=tree, at="e")) == "C[AB] c C[DE]"
    below = fork_session(session=tree, at="c", include="branches")
    assert seen(below) == "C[AB] c C[DE]"
    assert counted_tokens(below) == context_tokens(below)
    assert below.compactions.count() == 2
    whole = fork_session(session=tree, at="c", include="tree")
    assert seen(whole, "y") == "C[AB] C[XY]"
    assert whole.compactions.count() == 3


def test_compactions_may_stay_behind(tree: Session) -> None:
    compact(tree, "a", "b")

    fork = fork_session(session=fresh(tree), at="c", compactions=False)

    assert seen(fork) == "a b c"
    assert fresh(fork).hidden_tokens == 0


def test_labels_come_with_their_messages(tree: Session) -> None:
    for uid in ("b", "y", "z"):
        set_label(session=tree, uid=uid, text=f"label of {uid}")

    below = fork_session(session=tree, at="c", include="branches")

    assert sorted(below.labels.values_list("text", flat=True)) == [
        "label of b",
        "label of z",
    ]


def test_copies_are_found_by_search(agent: Agent) -> None:
    session = create_session(agent=agent)
    say(session, "a")
    say(session, "quokka in the garden", uid="q")
    fork = fork_session(session=session, at="a", include="tree")

    scope = Scope(session=fork.id, path=fork.fork_point_id)
    hits = find_messages(text="quokka", scope=scope).hits

    assert [hit.message for hit in hits] == ["q"]


def test_number_of_queries_does_not_grow_with_the_copies(tree: Session) -> None:
    with CaptureQueriesContext(connection) as few:
        fork_session(session=tree, at="c", include="tree")
    talk(tree, " ".join(f"m{number}" for number in range(200)))
    with CaptureQueriesContext(connection) as many:
        fork = fork_session(session=fresh(tree), at="c", include="tree")

    assert fork.message_count == 208
    assert len(many) <= len(few) + 4


def test_history_of_a_copy_reads_as_the_original(tree: Session) -> None:
    fork = fork_session(session=tree, at="a", include="tree")

    for leaf in ("e", "y", "z"):
        mine, theirs = read_history(fork, leaf=leaf), read_history(tree, leaf=leaf)
        assert mine.bodies == theirs.bodies
        assert mine.context_tokens == theirs.context_tokens
