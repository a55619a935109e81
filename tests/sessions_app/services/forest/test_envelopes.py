from __future__ import annotations

import pytest

from sessions_app.errors import NotFound
from sessions_app.services.forest import envelopes as module
from sessions_app.services.forest.envelopes import get_envelope, history_envelopes
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import read_history
from sessions_app.services.writing.editing import set_label
from tests.builders import compact, draft, fresh, say, talk, uid_of


@pytest.fixture(autouse=True)
def _messages(session):
    talk(session, "a b c d")
    say(session, "other", parent="b")
    say(session, "e", parent="d")


def read(session, **options):
    session = fresh(session)
    return history_envelopes(session, read_history(session, **options))


def test_it_works(session):
    set_label(session=session, uid="b", text="here")

    envelope = get_envelope(fresh(session), "b")

    message = session.messages.get(uid="b")
    assert envelope.body == draft("b", "b").body
    assert (envelope.parent, envelope.depth, envelope.seq) == ("a", 1, 1)
    assert (envelope.tokens, envelope.path_tokens) == (6, 12)
    assert (envelope.children, envelope.label) == (2, "here")
    assert envelope.created_at == message.created_at


def test_of_a_root_and_of_a_leaf(session):
    assert get_envelope(session, "a").parent is None
    assert get_envelope(session, "e").children == 0


def test_of_an_unknown_message(session):
    with pytest.raises(NotFound):
        get_envelope(session, "nope")


def test_of_a_history(session):
    found = read(session)

    assert [uid_of(each.body) for each in found] == ["a", "b", "c", "d", "e"]
    assert [each.parent for each in found] == [None, "a", "b", "c", "d"]
    assert [each.children for each in found] == [1, 2, 1, 1, 0]
    assert [each.path_tokens for each in found] == [6, 12, 18, 24, 30]


def test_of_an_empty_history(session):
    assert read(session, after="e") == []


def test_of_a_summary(session):
    compaction = compact(session, "b", "d")

    first, summary, last = read(session)

    assert uid_of(summary.body) == f"compaction_{compaction.uid}"
    assert (summary.parent, summary.depth, summary.seq) == ("a", 1, None)
    assert summary.tokens == compaction.tokens_after
    assert summary.path_tokens == session.messages.get(uid="d").path_tokens
    assert (summary.children, summary.label) == (1, None)
    assert last.parent == "d"


def test_in_a_fork(session):
    fork = fork_session(session=session, at="c")
    say(fork, "x", parent="b")

    assert get_envelope(fresh(fork), "a").children == 1
    assert get_envelope(fresh(fork), "b").children == 2
    assert get_envelope(fresh(fork), "c").children == 0
    assert [each.children for each in read(fork)] == [1, 2, 0]
    say(fork, "y", parent="c")
    assert get_envelope(fresh(fork), "c").children == 1


def test_a_sessions_children_are_not_those_of_its_forks(session):
    fork = fork_session(session=session, at="e")
    say(fork, "x")

    assert get_envelope(fresh(session), "e").children == 0


def test_labels_of_a_session_are_its_own(session):
    set_label(session=session, uid="a", text="start")
    fork = fork_session(session=session)
    set_label(session=fork, uid="a", text="other")

    assert get_envelope(fresh(session), "a").label == "start"
    assert get_envelope(fresh(fork), "a").label == "other"


@pytest.mark.parametrize("forked", [False, True])
def test_number_of_queries(session, django_assert_num_queries, forked):
    talk(session, " ".join(f"m{i}" for i in range(100)))
    compact(session, "b", "d")
    compact(session, "m5", "m8")
    if forked:
        session = fork_session(session=session)
    session = fresh(session)
    history = read_history(session)

    # The places, the numbers of children, the labels.
    with django_assert_num_queries(3):
        history_envelopes(session, history)


def test_very_many_are_asked_for_in_turn(session, monkeypatch):
    monkeypatch.setattr(module, "AT_ONCE", 2)

    assert [uid_of(each.body) for each in read(session)] == ["a", "b", "c", "d", "e"]
