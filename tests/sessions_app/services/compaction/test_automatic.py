from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection, transaction

from sessions_app.models import Compaction, Job, Session
from sessions_app.services.compaction.compacting import compact
from sessions_app.services.forest.creating import create_session
from sessions_app.services.jobs import run_next
from sessions_app.services.writing.appending import append_messages
from tests.builders import append, context_tokens, draft, fresh, seen, talk

THREADS = 8


@pytest.fixture
def session(agent):
    """A session with a threshold of sixty tokens: ten of these messages."""
    return create_session(agent=agent, key="trip", compact_after=60)


def words(count, start=0):
    return " ".join(f"m{number}" for number in range(start, start + count))


def queued():
    return Job.objects.unfinished().count()


def test_at_the_threshold_nothing_happens(session):
    done = append(session, *(draft("x", f"m{n}") for n in range(10)))

    assert (done.context_tokens, done.compaction) == (60, None)
    assert queued() == 0


def test_above_it_one_job_is_queued(session):
    talk(session, words(10))

    assert append(session, draft("x", "over")).compaction == "queued"
    assert append(session, draft("x", "more")).compaction == "queued"

    assert queued() == 1


def test_a_batch_that_changes_nothing_queues_nothing(session):
    talk(session, words(11))
    Job.objects.all().delete()

    assert append(session, draft("x", "m0")).compaction is None
    assert queued() == 0


def test_the_agents_threshold_counts_where_the_session_has_none(agent):
    session = create_session(agent=agent, key="s")
    assert append(session, draft("x " * 100)).compaction is None

    agent.compact_after = 50
    agent.save()

    assert append(session, draft("x")).compaction == "queued"


def test_the_sessions_own_threshold_comes_first(agent):
    agent.compact_after = 5
    agent.save()
    session = create_session(agent=agent, key="s", compact_after=1000)

    assert append(session, draft("x " * 100)).compaction is None


def test_a_session_without_compactions_of_an_agent_with_them(agent):
    agent.compact_after = 5
    agent.save()
    session = create_session(agent=agent, key="s", compact_after=0)

    assert append(session, draft("x " * 100)).compaction is None
    assert compact(session=session, only_if_due=True) is None


def test_the_job_makes_the_context_small_again(session):
    append(
        session, *(draft("several words to be said here", f"m{n}") for n in range(40))
    )

    ran = run_next()

    assert ran
    assert ran.error == ""
    assert seen(session).startswith("m0 m1 m2 C[")
    assert context_tokens(session) < 160
    assert Compaction.objects.get().created_by == "auto"


def test_where_there_is_nothing_to_compact_it_is_not_tried_again_at_once(session):
    """The newest messages stay, and one of them is larger than the threshold."""
    Session.objects.filter(id=session.id).update(compact_after=200)
    append(session, draft("x " * 400, "large"))
    run_next()
    assert fresh(session).compaction_tried == context_tokens(session)

    answers = [append(session, draft("x", f"m{n}")).compaction for n in range(4)]
    assert answers == [None, None, None, "queued"]


def test_first_messages_larger_than_the_threshold_do_not_stay(session):
    append(
        session, draft("x " * 400, "large"), *(draft("x", f"m{n}") for n in range(9))
    )

    run_next()

    assert context_tokens(session) < 110
    assert seen(session).startswith("C[")


def test_it_is_tried_again_at_once_when_the_context_has_shrunk(session):
    talk(session, words(20))
    Job.objects.all().delete()
    Session.objects.filter(id=session.id).update(compaction_tried=1000)

    assert append(session, draft("x")).compaction == "queued"


def test_after_a_success_the_next_is_due_at_the_threshold(session):
    append(
        session, *(draft("several words to be said here", f"m{n}") for n in range(40))
    )
    run_next()

    assert fresh(session).compaction_tried in (None, context_tokens(session))
    assert queued() == 0


def test_an_append_that_is_undone_queues_nothing(session):
    with pytest.raises(RuntimeError), transaction.atomic():
        talk(session, words(20))
        raise RuntimeError

    assert queued() == 0


def test_number_of_queries(session, django_assert_num_queries):
    """Below the threshold it costs no statement; with a job queued it costs one."""
    talk(session, words(5))
    with django_assert_num_queries(9):
        append_messages(session_id=session.id, drafts=[draft("", "below")])
    talk(session, words(10, 5))

    with django_assert_num_queries(10):
        append_messages(session_id=session.id, drafts=[draft("", "above")])


@pytest.mark.django_db(transaction=True)
def test_of_appends_that_race_one_queues_the_job(agent):
    session = create_session(agent=agent, key="trip", compact_after=60)
    barrier = Barrier(THREADS)

    def write(thread):
        barrier.wait()
        answers = []
        for number in range(5):
            drafts = [draft("x x x", f"{thread}-{number}-{n}") for n in range(3)]
            answers.append(append(session, *drafts).compaction)
        connection.close()
        return answers

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(write, range(THREADS)))

    assert Job.objects.count() == 1
    assert {answer for answers in found for answer in answers} == {None, "queued"}


@pytest.mark.django_db(transaction=True)
def test_two_compactions_at_once(agent):
    """They do not both cover the same: the second finds that it was done."""
    session = create_session(agent=agent, key="trip", compact_after=60)
    talk(session, words(60))
    barrier = Barrier(4)

    def work(number):
        barrier.wait()
        made = compact(session=fresh(session))
        connection.close()
        return made

    with ThreadPoolExecutor(4) as pool:
        made = [each for each in pool.map(work, range(4)) if each]

    assert len(made) == 1
    assert Compaction.objects.count() == 1
