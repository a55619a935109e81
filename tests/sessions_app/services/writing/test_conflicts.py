from __future__ import annotations

import pytest

from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out, clear_session
from sessions_app.services.writing.conflicts import (
    MOST_MISSED,
    HeadMoved,
    UnknownParent,
)
from sessions_app.services.writing.deleting import delete_messages
from tests.builders import append, compact, draft, head, say, seen, talk


def answer(session, **options):
    append(session, draft("", "answer"), **options)


def refusal(session, expected_head, **options):
    with pytest.raises(HeadMoved) as caught:
        answer(session, expected_head=expected_head, **options)
    assert caught.value.code == "head_moved"
    assert not session.messages.filter(uid="answer").exists()
    return caught.value.details


def test_it_works(session):
    talk(session, "a b")

    answer(session, expected_head="b")

    assert seen(session) == "a b answer"


def test_an_empty_session_is_expected_to_be_empty(session):
    answer(session, expected_head=None)

    assert seen(session) == "answer"


def test_a_refusal_says_what_was_missed(session):
    talk(session, "a b c d")

    assert refusal(session, "b") == {
        "head": "d",
        "missed": ["c", "d"],
        "missed_count": 2,
    }


def test_all_was_missed(session):
    talk(session, "a b")

    assert refusal(session, None) == {
        "head": "b",
        "missed": ["a", "b"],
        "missed_count": 2,
    }


def test_the_newest_of_what_was_missed_are_listed(session):
    uids = [f"m{i}" for i in range(MOST_MISSED + 5)]
    talk(session, " ".join(uids))

    details = refusal(session, "m0")

    assert details["missed"] == uids[5:]
    assert details["missed_count"] == MOST_MISSED + 4


def test_the_head_is_on_another_branch(session):
    talk(session, "a b")
    say(session, "c", parent="a")

    assert refusal(session, "b") == {"head": "c", "missed": None}


def test_the_head_went_back(session):
    talk(session, "a b")
    check_out(session=session, uid="a")

    assert refusal(session, "b") == {"head": "a", "missed": None}


def test_the_expected_head_is_gone(session):
    talk(session, "a b")
    delete_messages(session=session, uids=["b"])

    assert refusal(session, "b") == {"head": "a", "missed": None}


def test_the_session_was_cleared(session):
    say(session, "a")
    clear_session(session=session)

    assert refusal(session, "a") == {"head": None, "missed": [], "missed_count": 0}


def test_branch(session):
    talk(session, "a b c")

    answer(session, expected_head="a", on_conflict="branch")

    assert seen(session) == "a answer"
    assert seen(session, "c") == "a b c"


def test_branch_from_an_empty_session_is_a_new_root(session):
    say(session, "a")

    answer(session, expected_head=None, on_conflict="branch")

    assert seen(session) == "answer"


def test_there_is_no_branch_from_a_message_that_is_gone(session):
    say(session, "a")

    assert refusal(session, "gone", on_conflict="branch")["head"] == "a"


def test_append(session):
    talk(session, "a b c")

    answer(session, expected_head="a", on_conflict="append")

    assert seen(session) == "a b c answer"


def test_append_though_the_expected_head_is_gone(session):
    talk(session, "a b")
    delete_messages(session=session, uids=["b"])

    answer(session, expected_head="b", on_conflict="append")

    assert seen(session) == "a answer"


def test_without_a_conflict_the_choice_does_not_matter(session):
    say(session, "a")

    answer(session, expected_head="a", on_conflict="branch")

    assert seen(session) == "a answer"


def test_without_an_expected_head_the_choice_does_not_matter(session):
    talk(session, "a b")

    answer(session, on_conflict="branch")

    assert seen(session) == "a b answer"


def test_a_summary_stands_for_the_last_message_that_it_covers(session):
    talk(session, "a b c")
    uid = f"compaction_{compact(session, 'a', 'c').uid}"

    answer(session, expected_head=uid)

    assert seen(session) == "C[S] answer"


@pytest.mark.parametrize("on_conflict", ["reject", "branch", "append"])
def test_a_parent_is_followed_wherever_the_head_is(session, on_conflict):
    talk(session, "a b c")

    answer(session, parent="a", expected_head="c", on_conflict=on_conflict)

    assert seen(session) == "a answer"


def test_the_head_is_looked_at_before_the_parent(session):
    talk(session, "a b")

    refusal(session, "a", parent="nope")
    with pytest.raises(UnknownParent):
        answer(session, parent="nope", expected_head="b")


def test_in_a_fork_an_inherited_head_is_expected(session):
    talk(session, "a b c")
    fork = fork_session(session=session, at="b")

    answer(fork, expected_head="b")

    assert seen(fork) == "a b answer"
    with pytest.raises(HeadMoved) as caught:
        append(fork, draft("", "another"), expected_head="b")
    assert caught.value.details["missed"] == ["answer"]


def test_a_refusal_leaves_the_head(session):
    talk(session, "a b")

    refusal(session, "a")

    assert head(session) == "b"
