from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.utils.timezone import now

from sessions_app.errors import NotFound
from sessions_app.messages import parse_body
from sessions_app.models import Compaction, Label, Message, SearchDocument, Session
from sessions_app.services.forest.creating import SessionExists, create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import (
    check_out,
    clear_session,
    delete_session,
    split_session,
    update_session,
)
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.editing import set_label
from tests.builders import compact, fresh, head, hidden_tokens, say, seen, talk


def update(session, **fields):
    return update_session(session=session, **fields)


def test_create(agent):
    session = create_session(agent=agent, key="trip", name="A trip", metadata={"a": 1})

    assert fresh(session).key == "trip"
    assert (session.name, session.metadata) == ("A trip", {"a": 1})
    assert (session.head, session.message_count, session.expires_at) == (None, 0, None)
    assert session.created_at == session.updated_at


def test_create_without_a_key(agent):
    keys = {create_session(agent=agent).key for _ in range(3)}

    assert len(keys) == 3
    assert {len(key) for key in keys} == {36}


def test_create_with_a_time_to_live(agent):
    session = create_session(agent=agent, ttl_seconds=60)

    assert session.expires_at == session.created_at + timedelta(seconds=60)


def test_create_with_a_key_that_is_taken(agent, session):
    with pytest.raises(SessionExists) as caught:
        create_session(agent=agent, key="trip")

    assert caught.value.code == "session_exists"
    assert caught.value.details == {"id": "trip"}
    assert Session.objects.count() == 1


def test_two_agents_may_have_sessions_of_one_key(session, stranger):
    assert create_session(agent=stranger, key="trip") != session


def test_update(session):
    changed = update(session, name="Another", model="gpt-5", metadata={"a": [1]})

    assert changed == session
    session = fresh(session)
    assert (session.name, session.model, session.metadata) == (
        "Another", "gpt-5", {"a": [1]},
    )  # fmt: skip
    assert session.updated_at >= session.created_at


def test_update_of_what_changed_meanwhile(session):
    stale = fresh(session)
    say(session, "a")

    update(stale, name="Another")

    assert head(session) == "a"
    assert fresh(session).message_count == 1


def test_archive(session):
    first = update(session, archived=True).archived_at
    assert first is not None
    assert update(session, archived=True).archived_at == fresh(session).archived_at
    assert update(session, archived=False).archived_at is None


def test_time_to_live(session):
    moment = now()

    expires_at = update(session, ttl_seconds=60).expires_at

    assert (
        timedelta(0)
        <= expires_at - moment - timedelta(seconds=60)
        < timedelta(minutes=1)
    )
    assert update(session, name="still").expires_at == fresh(session).expires_at
    assert update(session, ttl_seconds=None).expires_at is None


def test_living(agent):
    session = create_session(agent=agent, ttl_seconds=60)
    assert session in Session.objects.living()

    Session.objects.update(expires_at=now())

    assert session not in Session.objects.living()


def test_check_out(session):
    talk(session, "a b c")

    assert check_out(session=session, uid="b").head_id == fresh(session).head_id

    assert head(session) == "b"
    say(session, "d")
    assert seen(session) == "a b d"
    assert seen(session, "c") == "a b c"


def test_check_out_counts_what_is_hidden_there(session):
    talk(session, "a b c d")
    compact(session, "b", "c", "a longer summary")
    say(session, "e", parent="a")
    assert fresh(session).hidden_tokens == 0

    check_out(session=session, uid="d")

    assert hidden_tokens(session) != 0


def test_check_out_a_summary(session):
    talk(session, "a b c")
    uid = compact(session, "a", "b").uid

    check_out(session=session, uid=f"compaction_{uid}")

    assert seen(session) == "C[S]"


def test_check_out_an_unknown_message(session):
    say(session, "a")

    with pytest.raises(NotFound):
        check_out(session=session, uid="nope")

    assert head(session) == "a"


def test_check_out_in_a_fork(session):
    talk(session, "a b c")
    fork = fork_session(session=session, at="b")

    check_out(session=fork, uid="a")

    assert seen(fork) == "a"
    with pytest.raises(NotFound):
        check_out(session=fork, uid="c")


def test_split(agent):
    session = create_session(
        agent=agent, name="Trip", model="gpt-5", source="slack", compact_after=1000
    )
    talk(session, "a b c")

    successor = split_session(session=session, summary="We planned a trip.")

    assert fresh(session).end_reason == "compaction"
    assert seen(session) == "a b c"
    assert successor.parent_session == session
    assert (successor.name, successor.model, successor.source) == (
        "Trip",
        "gpt-5",
        "slack",
    )
    assert successor.compact_after == 1000
    message = successor.messages.get()
    assert successor.head == message
    assert message.role == "assistant"
    text = parse_body(message.body)["parts"][0]["text"]
    assert text == "[What the session before this one came to]\n\nWe planned a trip."


def test_the_name_of_what_is_split_off(agent, session):
    assert split_session(session=session, summary="S").name == "Compacted"
    assert split_session(session=session, summary="S", name="More").name == "More"


def test_clear(session):
    talk(session, "a b c")
    compact(session, "a", "b")
    set_label(session=session, uid="c", text="here")
    row, _ = add_usage(session=session, tokens=Tokens(1), message="c")

    assert clear_session(session=session) == 3

    session = fresh(session)
    assert (session.head, session.message_count, session.hidden_tokens) == (None, 0, 0)
    for model in (Message, Compaction, Label, SearchDocument):
        assert not model.objects.exists()
    row.refresh_from_db()
    assert (row.message, row.session, session.input_tokens) == (None, session, 1)


def test_a_cleared_session_goes_on(session):
    talk(session, "a b c")

    clear_session(session=session)
    talk(session, "c d")

    assert seen(session) == "c d"
    assert session.messages.get(uid="c").seq == 3


def test_clear_an_empty_session(session):
    assert clear_session(session=session) == 0


def test_clear_leaves_other_sessions(agent, session):
    other = create_session(agent=agent)
    talk(session, "a b")
    talk(other, "a b")

    clear_session(session=session)

    assert seen(other) == "a b"
    assert SearchDocument.objects.count() == 2


def test_delete(session):
    talk(session, "a b c")
    compact(session, "a", "b")
    set_label(session=session, uid="c", text="here")
    row, _ = add_usage(session=session, tokens=Tokens(1), message="c")

    delete_session(session=session)

    for model in (Session, Message, Compaction, Label, SearchDocument):
        assert not model.objects.exists()
    row.refresh_from_db()
    assert (row.message, row.session) == (None, None)
    connection.check_constraints()


def test_delete_leaves_what_was_split_off(session):
    successor = split_session(session=session, summary="S")

    delete_session(session=session)

    assert fresh(successor).parent_session is None


@pytest.mark.parametrize(
    "change",
    [
        delete_session,
        clear_session,
        lambda session: update(session, name="x"),
        lambda session: check_out(session=session, uid="a"),
        lambda session: split_session(session=session, summary="S"),
        lambda session: fork_session(session=session),
    ],
)
def test_a_session_that_is_gone(session, change):
    stale = fresh(session)
    delete_session(session=session)

    with pytest.raises(NotFound):
        change(session=stale)
