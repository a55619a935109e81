from __future__ import annotations

import pytest

from sessions_app.errors import NotFound
from sessions_app.services.browsing.windows import (
    count_below,
    depth_on,
    leaf_for,
    newest_leaf_below,
    read_path,
    read_window,
)
from sessions_app.services.forest.finding import get_found
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import NotOnPath
from tests.builders import compact, fresh, talk


@pytest.fixture
def tree(session):
    """A path a b c d e, where x y follow b; the head is y."""
    talk(session, "a b c d e")
    talk(session, "x y", parent="b")
    return fresh(session)


def window(session, leaf, first, last):
    path = read_path(session, leaf)
    segment = path.at(min(last, path.leaf.depth))
    return read_window(session, path, first=first, last=last, segment=segment)


def uids(found):
    return " ".join(entry.place.uid for entry in found.entries)


def test_it_reads_a_stretch_of_a_path(tree):
    assert uids(window(tree, "e", 1, 3)) == "b c d"
    assert uids(window(tree, "y", 0, 3)) == "a b x y"


def test_it_keeps_within_the_path(tree):
    assert uids(window(tree, "e", -20, 40)) == "a b c d e"


def test_compactions_divide_the_path(tree):
    compact(tree, "b", "c")
    path = read_path(fresh(tree), "e")

    assert [(each.first, each.last) for each in path.segments] == [
        (0, 0),
        (1, 2),
        (3, 4),
    ]
    assert path.segments[1].compaction.uid
    assert uids(window(fresh(tree), "e", 0, 4)) == "d e"
    assert uids(window(fresh(tree), "e", 0, 2)) == "b c"


def test_of_compactions_in_each_other_the_widest_divides(tree):
    compact(tree, "c", "d", "inner")
    compact(fresh(tree), "b", "d", "outer")

    path = read_path(fresh(tree), "e")

    assert [each.compaction.summary for each in path.segments if each.compaction] == [
        "outer"
    ]


def test_siblings_are_known_to_both(tree):
    for leaf, uid in (("e", "c"), ("y", "x")):
        found = window(tree, leaf, 0, 4)
        (message,) = (e.place.id for e in found.entries if e.place.uid == uid)
        assert found.siblings == {message: ["c", "x"]}


def test_roots_are_siblings_too(tree):
    talk(tree, "r", parent=None)

    assert list(window(fresh(tree), "r", 0, 0).siblings.values()) == [["a", "r"]]


def test_siblings_of_a_fork(tree):
    fork = fork_session(session=tree, at="d")
    talk(fork, "f", parent="b")
    fork = fresh(fork)

    assert list(window(fork, "f", 0, 4).siblings.values()) == [["c", "f"]]
    # x belongs to the other session alone.
    assert list(window(fork, "d", 0, 4).siblings.values()) == [["c", "f"]]


def test_newest_leaf_below(tree):
    assert leaf_for(tree, "b", "e") == "e"
    assert leaf_for(tree, "x", "e") == "y"
    assert leaf_for(tree, "c", "y") == "e"
    assert newest_leaf_below(tree, get_found(tree, "a")) == "y"


def test_newest_leaf_below_in_a_fork(tree):
    fork = fork_session(session=tree, at="d")
    assert newest_leaf_below(fork, get_found(fork, "a")) == "d"
    talk(fork, "f", parent="b")
    fork = fresh(fork)

    assert leaf_for(fork, "c", "f") == "d"
    assert newest_leaf_below(fork, get_found(fork, "b")) == "f"


def test_messages_below_are_counted_with_their_branches(tree):
    assert count_below(tree, get_found(tree, "a")) == (7, 2)
    assert count_below(tree, get_found(tree, "c")) == (3, 1)
    fork = fork_session(session=tree, at="d")
    assert count_below(fork, get_found(fork, "b")) == (3, 1)


def test_other_branches_are_not_on_the_path(tree):
    path = read_path(tree, "e")

    assert depth_on(tree, path, "d") == 3
    with pytest.raises(NotOnPath):
        depth_on(tree, path, "x")
    with pytest.raises(NotFound):
        depth_on(tree, path, "no")


def test_counting_below_a_long_path(session):
    talk(session, " ".join(f"m{number}" for number in range(3_000)))
    session = fresh(session)
    found = get_found(session, "m0")

    assert count_below(session, found) == (3_000, 1)
    assert newest_leaf_below(session, found) == "m2999"
