from __future__ import annotations

import orjson
import pytest

from sessions_app import sql
from sessions_app.errors import NotFound
from sessions_app.services.forest import history as module
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import Changing, NotOnPath, read_history
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import put_message
from tests.builders import append, compact, draft, fresh, say, seen, talk, uid_of


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c d e f")


def pages(session, limit, **options):
    """Return all pages, newest first, as they are read by their cursors."""
    start = None
    while True:
        page = read_history(fresh(session), limit=limit, start=start, **options)
        yield " ".join(uid_of(step.body) for step in page.steps)
        start = page.older
        if start is None:
            return


def test_it_works(session):
    say(session, "other", parent="b")
    check_out(session=session, uid="f")

    history = read_history(fresh(session))

    assert [step.body for step in history.steps] == [
        draft(uid, uid).body for uid in "abcdef"
    ]
    assert (history.leaf, history.head, history.older) == ("f", "f", None)
    assert (history.path_length, history.context_tokens) == (6, 36)


def test_of_an_empty_session(agent, session):
    delete_messages(session=session, uids=["a"], mode="subtree")

    history = read_history(fresh(session))

    assert history.steps == []
    assert (history.leaf, history.head, history.older) == (None, None, None)
    assert (history.path_length, history.context_tokens) == (0, 0)


def test_to_a_leaf(session):
    say(session, "other", parent="b")

    history = read_history(fresh(session), leaf="d")

    assert (history.leaf, history.head, history.path_length) == ("d", "other", 4)
    assert seen(session, "d") == "a b c d"


def test_to_an_unknown_leaf(session):
    with pytest.raises(NotFound):
        read_history(session, leaf="nope")


def test_to_a_leaf_of_another_session(session):
    fork = fork_session(session=session, at="b")
    say(fork, "x")

    with pytest.raises(NotFound):
        read_history(session, leaf="x")
    with pytest.raises(NotFound):
        read_history(fork, leaf="c")


def test_limit_keeps_the_newest(session):
    history = read_history(fresh(session), limit=2)

    assert [uid_of(step.body) for step in history.steps] == ["e", "f"]
    assert history.older == "d"
    assert (history.path_length, history.context_tokens) == (6, 36)


@pytest.mark.parametrize("limit", [6, 7, 1000])
def test_a_limit_that_is_not_reached(session, limit):
    history = read_history(fresh(session), limit=limit)

    assert len(history.steps) == 6
    assert history.older is None


def test_start(session):
    assert seen(session, start="c") == "a b c"
    assert seen(session, start="c", limit=2) == "b c"


def test_before(session):
    assert seen(session, before="c") == "a b"
    assert seen(session, before="c", limit=1) == "b"
    assert seen(session, before="a") == ""


def test_after(session):
    assert seen(session, after="c") == "d e f"
    assert seen(session, after="f") == ""
    assert seen(session, after="a", before="d") == "b c"
    assert seen(session, after="d", before="b") == ""


def test_after_with_a_limit_says_whether_there_is_more(session):
    assert list(pages(session, 2, after="a")) == ["e f", "c d", "b"]
    assert list(pages(session, 5, after="a")) == ["b c d e f"]


@pytest.mark.parametrize("bound", ["start", "before", "after"])
def test_a_bound_on_another_branch(session, bound):
    say(session, "other", parent="b")

    with pytest.raises(NotOnPath) as caught:
        seen(session, **{bound: "f"})

    assert caught.value.code == "not_on_path"


@pytest.mark.parametrize("bound", ["start", "before", "after"])
def test_an_unknown_bound(session, bound):
    with pytest.raises(NotFound):
        seen(session, **{bound: "nope"})


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 6, 7])
def test_pages_give_the_whole_path(session, limit):
    found = list(pages(session, limit))

    assert " ".join(reversed(found)) == "a b c d e f"
    assert all(len(page.split()) == limit for page in found[:-1])


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_with_compactions(session, limit):
    compact(session, "a", "b", "one")
    compact(session, "d", "e", "two")

    found = [
        step for page in reversed(list(pages(session, limit))) for step in page.split()
    ]

    assert len(found) == 4
    assert [uid for uid in found if len(uid) == 1] == ["c", "f"]


def test_compactions(session):
    compact(session, "b", "d")

    assert seen(session) == "a C[S] e f"
    assert seen(session, raw=True) == "a b c d e f"
    assert seen(session, limit=2) == "e f"
    assert seen(session, limit=3) == "C[S] e f"


def test_a_leaf_inside_a_compaction_shows_what_it_covers(session):
    compact(session, "b", "d")

    assert seen(session, "c") == "a b c"
    assert seen(session, "d") == "a C[S]"


def test_bounds_and_compactions(session):
    uid = f"compaction_{compact(session, 'b', 'd').uid}"

    assert seen(session, after=uid) == "e f"
    assert seen(session, before=uid) == "a"
    assert seen(session, start=uid) == "a C[S]"
    assert seen(session, uid) == "a C[S]"
    # What follows a message inside is in the summary too.
    assert seen(session, after="c") == "C[S] e f"
    assert seen(session, after="a") == "C[S] e f"


def test_a_summary_is_a_message(session):
    compaction = compact(session, "b", "d", "what was said")

    body = read_history(fresh(session)).steps[1].body

    made = compaction.created_at.isoformat(timespec="milliseconds")
    assert orjson.loads(body) == {
        "id": f"compaction_{compaction.uid}",
        "role": "assistant",
        "parts": [{"type": "text", "text": "what was said"}],
        "createdAt": made.replace("+00:00", "Z"),
        "metadata": {
            "compaction": {
                "id": compaction.uid,
                "from": "b",
                "to": "d",
                "count": 3,
                "tokens_before": 18,
                "tokens_after": compaction.tokens_after,
            }
        },
    }


def test_a_fork(session):
    fork = fork_session(session=session, at="c")
    talk(fork, "x y")

    assert seen(fork) == "a b c x y"
    assert list(pages(fork, 2)) == ["x y", "b c", "a"]
    assert seen(fork, after="b") == "c x y"


def test_a_deep_path_reads_whole(agent, session):
    for start in range(0, 20_000, 1000):
        append(session, *(draft("", f"m{i}") for i in range(start, start + 1000)))

    history = read_history(fresh(session))

    assert history.path_length == len(history.steps) == 20_006
    assert uid_of(history.steps[0].body) == "a"
    assert uid_of(history.steps[-1].body) == "m19999"
    assert seen(session, limit=3, start="m7") == "m5 m6 m7"
    compact(session, "b", "m19998")
    assert seen(session) == "a C[S] m19999"
    assert len(read_history(fresh(session), raw=True).steps) == 20_006


def test_number_of_queries(session, django_assert_num_queries):
    session = fresh(session)
    # Where the session stands, and the path.
    with django_assert_num_queries(2):
        read_history(session)
    # Where the next page begins.
    with django_assert_num_queries(3):
        read_history(session, limit=2)


def test_number_of_queries_in_a_fork(session, django_assert_num_queries):
    fork = fork_session(session=session)

    # At last, whether what it shares was still its own.
    with django_assert_num_queries(3):
        read_history(fork)


def test_number_of_queries_with_compactions(session, django_assert_num_queries):
    compact(session, "a", "b")
    compact(session, "c", "d")
    session = fresh(session)

    with django_assert_num_queries(3):
        read_history(session)


def test_a_session_that_changes_while_it_is_read_is_read_again(session, monkeypatch):
    walk, calls = module._walk, []

    def slip(*args, **options):
        calls.append(args)
        if len(calls) < 3:
            raise sql.Gone
        return walk(*args, **options)

    monkeypatch.setattr(module, "_walk", slip)

    assert seen(session) == "a b c d e f"
    assert len(calls) == 3


def test_a_fork_that_comes_apart_while_it_is_read(session, monkeypatch):
    fork = fork_session(session=session)
    walk, bodies = module._walk, [draft(uid, uid).body for uid in "abcdef"]

    def change(*args, **options):
        monkeypatch.undo()
        put_message(session=session, draft=draft("changed", "a"))
        delete_messages(session=session, uids=["b"])
        return walk(*args, **options)

    monkeypatch.setattr(module, "_walk", change)

    assert [step.body for step in read_history(fork).steps] == bodies


def test_a_session_that_always_changes(session, monkeypatch):
    def slip(*args, **options):
        raise sql.Gone

    monkeypatch.setattr(module, "_walk", slip)

    with pytest.raises(Changing) as caught:
        read_history(session)
    assert caught.value.code == "changing"
