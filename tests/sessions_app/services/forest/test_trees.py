from __future__ import annotations

import pytest

from sessions_app.errors import NotFound
from sessions_app.services.forest import trees
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.writing.editing import set_label
from tests.builders import fresh, say, talk, uid_of


@pytest.fixture(autouse=True)
def _messages(session):
    """
    a - b - c - d
          + e - f
    r - s
    """
    talk(session, "a b c d")
    talk(session, "e f", parent="b")
    talk(session, "r s", parent=None)


def leaves(session, before=None, limit=10):
    return [
        node.uid for node in trees.leaves(fresh(session), before=before, limit=limit)
    ]


def children(session, uid):
    return [uid_of(body) for body in trees.children(fresh(session), uid)]


def runs(session, only="all"):
    """Return runs, each as: parent > first..last (length) children."""
    return [
        f"{run.parent} > {run.first.uid}..{run.last.uid} ({run.length}) {run.children}"
        for run in trees.runs(fresh(session), only)
    ]


def test_runs(session):
    assert runs(session) == [
        "None > a..b (2) 2",
        "b > c..d (2) 0",
        "b > e..f (2) 0",
        "None > r..s (2) 0",
    ]


def test_runs_of_an_unbranched_session(agent, session):
    fork = fork_session(session=session, at="d")

    assert runs(fork) == ["None > a..d (4) 0"]


def test_runs_of_an_empty_session(session):
    fork = fork_session(session=fork_session(session=session, at="a"))
    assert runs(fork) == ["None > a..a (1) 0"]


def test_runs_come_in_the_order_of_writing(session):
    say(session, "late", parent="r")

    assert runs(session)[3:] == [
        "None > r..r (1) 2",
        "r > s..s (1) 0",
        "r > late..late (1) 0",
    ]


def test_runs_of_a_fork(session):
    fork = fork_session(session=session, at="f")
    say(fork, "x", parent="a")
    say(fork, "y", parent="f")

    assert runs(fork) == [
        "None > a..a (1) 2",
        "a > b..y (4) 0",
        "a > x..x (1) 0",
    ]


def test_a_forks_messages_are_not_in_the_tree_of_its_source(session):
    before = runs(session)
    say(fork_session(session=session), "x")

    assert runs(session) == before


def test_without_tools(session):
    say(session, "call", parent="d", role="tool")
    say(session, "answer", parent="call")

    assert runs(session, "no_tools")[1] == "b > c..answer (3) 0"


def test_users_only(session):
    say(session, "x", parent="c", role="assistant")
    say(session, "y", parent="x")
    say(session, "z", parent="x")

    assert runs(session, "user") == [
        "None > a..b (2) 2",
        "b > c..c (1) 3",
        "c > d..d (1) 0",
        "b > e..f (2) 0",
        "None > r..s (2) 0",
        "c > y..y (1) 0",
        "c > z..z (1) 0",
    ]


def test_labelled_only(session):
    for uid in "adf":
        set_label(session=session, uid=uid, text="here")

    assert runs(session, "labelled") == [
        "None > a..a (1) 2",
        "a > d..d (1) 0",
        "a > f..f (1) 0",
    ]


def test_nothing_is_labelled(session):
    assert runs(session, "labelled") == []


def test_number_of_queries(session, django_assert_num_queries):
    with django_assert_num_queries(1):
        trees.runs(session)
    with django_assert_num_queries(2):
        trees.runs(session, "labelled")


def test_leaves(session):
    assert leaves(session) == ["s", "f", "d"]


def test_leaves_by_pages(session):
    first = trees.leaves(session, before=None, limit=2)

    # One more, to show that there is more.
    assert [node.uid for node in first] == ["s", "f", "d"]
    assert leaves(session, before=first[1].seq, limit=2) == ["d"]
    assert leaves(session, before=first[2].seq) == []


def test_a_message_that_only_a_fork_follows_is_a_leaf(session):
    say(fork_session(session=session, at="d"), "x")

    assert leaves(session) == ["s", "f", "d"]


def test_leaves_of_a_fork(session):
    fork = fork_session(session=session, at="c")
    assert leaves(fork) == ["c"]

    say(fork, "x", parent="a")
    assert leaves(fork) == ["x", "c"]
    assert leaves(fork, limit=1) == ["x", "c"]
    assert leaves(fork, before=fork.messages.get(uid="x").seq) == ["c"]
    assert leaves(fork, before=session.messages.get(uid="c").seq) == []

    say(fork, "y", parent="c")
    assert leaves(fork) == ["y", "x"]


def test_leaves_of_an_empty_session(session):
    session.messages.all()
    fork = fork_session(session=session, at="a")

    assert leaves(fork) == ["a"]


def test_children(session):
    assert children(session, "b") == ["c", "e"]
    assert children(session, "a") == ["b"]
    assert children(session, "d") == []


def test_children_of_an_unknown_message(session):
    with pytest.raises(NotFound):
        children(session, "nope")


def test_children_in_a_fork(session):
    fork = fork_session(session=session, at="c")
    say(fork, "x", parent="b")
    say(fork, "y", parent="c")

    assert children(fork, "a") == ["b"]
    assert children(fork, "b") == ["c", "x"]
    assert children(fork, "c") == ["y"]
    assert children(session, "b") == ["c", "e"]


def test_previews(session):
    message = say(session, "A long text.  " + "More of it. " * 20, uid="long")

    found = trees.previews([message.id, session.messages.get(uid="a").id])

    assert found[message.id].startswith("A long text. More of it.")
    assert len(found[message.id]) == 100
    assert found[session.messages.get(uid="a").id] == "a"


def test_labels(session):
    fork = fork_session(session=session, at="a")
    message = session.messages.get(uid="a")
    set_label(session=session, uid="a", text="ours")
    set_label(session=fork, uid="a", text="theirs")

    assert trees.labels(session, [message.id]) == {message.id: "ours"}
    assert trees.labels(fork, [message.id]) == {message.id: "theirs"}
    assert trees.labels(fork, []) == {}
