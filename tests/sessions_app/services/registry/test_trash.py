from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from memoryhub.facade.storage.orm import AgentSessionProvider
from sessions_app.errors import Invalid, NotFound
from sessions_app.models import Session
from sessions_app.search import Scope
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry import purging
from sessions_app.services.registry.selections import (
    archive_sessions,
    delete_trashed,
    tag_sessions,
    tags_of,
    trash_sessions,
    weigh,
)
from sessions_app.services.registry.sessions import make_session
from sessions_app.services.searching import find_messages
from tests.builders import fresh, say, seen, talk


def trash(*sessions: Session) -> list[int]:
    return trash_sessions(pks=[each.pk for each in sessions], trashed=True)


def test_the_api_knows_nothing_of_what_is_in_the_trash(api, session):
    talk(session, "one two")
    trash(session)

    assert api.get("/sessions/trip").status_code == 404
    assert api.get("/sessions/trip/history").status_code == 404
    assert api.get("/sessions/trip/messages/one").status_code == 404
    assert api.post("/sessions/trip/messages", {}).status_code == 404
    assert api.delete("/sessions/trip").status_code == 404
    assert api.get("/sessions", status="all").json()["items"] == []


def test_restored_it_is_as_before(api, session):
    talk(session, "one two")
    before = api.get("/sessions/trip").json()

    trash(session)
    trash_sessions(pks=[session.pk], trashed=False)

    assert api.get("/sessions/trip").json() == before


def test_a_program_in_python_is_told_that_it_is_gone(session):
    provider = AgentSessionProvider(session.agent, "trip")
    provider.append_message({"role": "user", "parts": []})
    trash(session)

    with pytest.raises(NotFound):
        provider.get_history()


def test_a_new_session_may_have_the_id_of_one_in_the_trash(api, session):
    talk(session, "one")
    trash(session)

    assert api.put("/sessions/trip", {}).status_code == 201

    assert api.get("/sessions/trip").json()["message_count"] == 0
    assert fresh(session).key != "trip"
    trash_sessions(pks=[session.pk], trashed=False)
    assert api.get(f"/sessions/{fresh(session).key}").json()["message_count"] == 1


def test_a_fork_may_have_the_id_of_one_in_the_trash(session, agent):
    other = create_session(agent=agent, key="other")
    trash(session)

    assert fork_session(session=other, key="trip").key == "trip"


def test_search_passes_over_the_trash_and_a_fork_still_finds_what_it_shares(session):
    talk(session, "zebra")
    fork = fork_session(session=session, key="fork")
    trash(session)

    within = Scope(session=fork.pk, path=fork.fork_point_id)
    assert find_messages(text="zebra", scope=Scope()).hits == []
    assert len(find_messages(text="zebra", scope=within).hits) == 1


def test_a_fork_goes_on_while_its_source_is_in_the_trash_and_after(session):
    talk(session, "one two")
    fork = fork_session(session=session, key="fork")
    trash(session)
    say(fork, "three")

    assert seen(fork) == "one two three"
    assert delete_trashed(pks=[session.pk]) == 1
    assert seen(fork) == "one two three"


def test_only_what_is_in_the_trash_is_deleted_for_ever(session):
    assert delete_trashed(pks=[session.pk]) == 0
    assert Session.objects.filter(pk=session.pk).exists()


def test_the_trash_is_emptied_after_so_many_days(agent, settings):
    settings.TRASH_DAYS = 30
    old = create_session(agent=agent, key="old")
    new = create_session(agent=agent, key="new")
    trash(old, new)
    Session.objects.filter(pk=old.pk).update(trashed_at=now() - timedelta(days=31))

    assert purging.purge_trash() == 1
    assert Session.objects.get() == new


def test_with_0_days_the_trash_is_kept(session, settings):
    settings.TRASH_DAYS = 0
    trash(session)
    Session.objects.update(trashed_at=now() - timedelta(days=999))

    assert purging.purge_trash() == 0


def test_the_weight_is_of_own_messages(session):
    talk(session, "one two three")
    fork = fork_session(session=session)
    say(fork, "four")

    weight = weigh(pks=[session.pk, fork.pk])

    assert (weight.sessions, weight.messages) == (2, 4)


def test_only_what_was_changed_is_told_so_that_undo_takes_back_no_more(agent):
    first, second = (create_session(agent=agent, key=key) for key in "ab")
    archive_sessions(pks=[first.pk], archived=True)
    before = fresh(second).updated_at

    assert archive_sessions(pks=[first.pk, second.pk], archived=True) == [second.pk]
    assert fresh(second).updated_at == before
    assert trash(first) == [first.pk]
    assert trash(first) == []


def test_tags_stand_in_the_metadata(session):
    Session.objects.update(metadata={"user": 1, "tags": "odd"})

    assert tag_sessions(pks=[session.pk], tag=" very  good ", tagged=True)
    assert tag_sessions(pks=[session.pk], tag="very good", tagged=True) == []
    assert fresh(session).metadata == {"user": 1, "tags": ["very good"]}
    assert tag_sessions(pks=[session.pk], tag="very good", tagged=False)
    assert tags_of(fresh(session)) == []


@pytest.mark.parametrize("tag", ["", " ", "x" * 51])
def test_a_tag_must_be_short_and_not_empty(session, tag):
    with pytest.raises(Invalid):
        tag_sessions(pks=[session.pk], tag=tag, tagged=True)


def test_an_expired_session_is_not_brought_back(agent):
    over = make_session(agent=agent, key="over")
    trash(over)
    Session.objects.update(expires_at=now() - timedelta(seconds=1))

    assert trash_sessions(pks=[over.pk], trashed=False) == []
