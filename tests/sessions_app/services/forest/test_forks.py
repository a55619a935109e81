from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from sessions_app.errors import NotFound
from sessions_app.models import Compaction, Label, Message, Session
from sessions_app.services.compaction.overlays import (
    delete_compaction,
    update_compaction,
)
from sessions_app.services.forest.creating import SessionExists, create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import read_history
from sessions_app.services.registry.sessions import (
    check_out,
    clear_session,
    delete_session,
)
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import put_message, set_label
from tests.builders import compact, context_tokens, draft, fresh, head, say, seen, talk

EDITED = draft("edited", "a")


def bodies(session):
    return [step.body for step in read_history(fresh(session), raw=True).steps]


def forked(session, at=None, **options):
    return fork_session(session=session, at=at, **options)


def edit(session, uid="a"):
    put_message(session=session, draft=draft("edited", uid))


def test_it_works(session):
    talk(session, "a b c")

    fork = forked(session, "b", key="other", name="Plan B")

    assert (fork.key, fork.name) == ("other", "Plan B")
    assert fork.parent_session == session
    assert fork.fork_point == fork.head == session.messages.get(uid="b")
    assert fork.message_count == 2
    assert seen(fork) == "a b"
    assert context_tokens(fork) == context_tokens(session, "b")


def test_it_is_one_row(session):
    talk(session, "a b c")
    before = Message.objects.count(), Session.objects.count()

    forked(session)

    assert (Message.objects.count(), Session.objects.count()) == (
        before[0],
        before[1] + 1,
    )


def test_without_a_place_it_is_at_the_head(session):
    talk(session, "a b c")
    check_out(session=session, uid="b")

    assert seen(forked(session)) == "a b"


def test_of_an_empty_session(session):
    fork = forked(session)

    assert (fork.fork_point, fork.head, fork.message_count) == (None, None, 0)
    say(fork, "a")
    assert seen(session) == ""


def test_at_the_summary_of_a_compaction(session):
    talk(session, "a b c d")
    uid = compact(session, "b", "c").uid

    assert seen(forked(session, f"compaction_{uid}")) == "a C[S]"


def test_at_an_unknown_message(session):
    say(session, "a")

    with pytest.raises(NotFound):
        forked(session, "nope")

    assert Session.objects.count() == 1


def test_with_a_key_that_is_taken(session):
    with pytest.raises(SessionExists):
        forked(session, key="trip")


def test_another_agent_may_have_that_key(session, stranger):
    create_session(agent=stranger, key="other")

    assert forked(session, key="other").agent == session.agent


def test_it_takes_the_settings_along(agent):
    session = create_session(
        agent=agent,
        name="Trip",
        model="gpt-5",
        source="slack",
        kind="chat",
        metadata={"user": "Ada"},
        compact_after=1000,
        kv_cap=10,
        transcript_cap=50,
    )

    fork = fresh(forked(session))

    assert (fork.name, fork.model, fork.source) == ("Trip", "gpt-5", "slack")
    assert fork.metadata == {"user": "Ada"}
    assert (fork.compact_after, fork.kv_cap, fork.transcript_cap) == (1000, 10, 50)


def test_it_does_not_take_the_end_along(session):
    Session.objects.update(
        end_reason="compaction",
        archived_at=now(),
        expires_at=now() + timedelta(hours=1),
    )

    fork = forked(session)

    assert (fork.end_reason, fork.archived_at, fork.expires_at) == ("", None, None)


def test_usage_starts_at_zero(session):
    say(session, "a")
    add_usage(session=session, tokens=Tokens(100, 10), message="a")

    fork = fresh(forked(session))

    assert (fork.input_tokens, fork.cost_nanos, fork.unpriced) == (0, None, 0)
    assert not fork.usage_rows.exists()


def test_it_takes_compactions_on_the_path_along(session):
    talk(session, "a b c d")
    compact(session, "a", "b", "on the path")
    talk(session, "e f", parent="b")
    compact(session, "e", "f", "elsewhere")

    fork = forked(session, "d")

    assert seen(fork) == "C[on the path] c d"
    assert fork.compactions.count() == 1
    assert context_tokens(fork) == context_tokens(session, "d")


def test_a_summary_keeps_its_id(session):
    talk(session, "a b c")
    compact(session, "a", "b")

    (copy,) = forked(session).compactions.all()

    compaction = session.compactions.get()
    assert copy.uid == compaction.uid
    assert copy.created_at == compaction.created_at


def test_a_disabled_compaction_is_taken_along_as_it_is(session):
    talk(session, "a b c")
    uid = compact(session, "a", "b").uid
    update_compaction(session=session, uid=uid, state="disabled")

    fork = forked(session)

    assert seen(fork) == "a b c"
    update_compaction(session=fork, uid=uid, state="active")
    assert seen(fork) == "C[S] c"
    assert seen(session) == "a b c"


def test_it_takes_labels_on_the_path_along(session):
    talk(session, "a b c")
    set_label(session=session, uid="a", text="start")
    set_label(session=session, uid="c", text="end")

    fork = forked(session, "b")

    assert [(label.message.uid, label.text) for label in fork.labels.all()] == [
        ("a", "start")
    ]


def test_what_the_fork_says_is_its_own(session):
    talk(session, "a b")
    fork = forked(session)

    talk(fork, "c d")
    talk(session, "c2")

    assert seen(fork) == "a b c d"
    assert seen(session) == "a b c2"


@pytest.mark.parametrize(
    "change",
    [
        edit,
        lambda session: delete_messages(session=session, uids=["a"]),
        lambda session: delete_messages(session=session, uids=["b"]),
        lambda session: delete_messages(session=session, uids=["a"], mode="subtree"),
        lambda session: clear_session(session=session),
        lambda session: delete_session(session=session),
    ],
    ids=[
        "edit",
        "delete",
        "delete the point",
        "delete subtree",
        "clear",
        "delete session",
    ],
)
@pytest.mark.parametrize("own", ["", "x y"])
def test_a_fork_keeps_what_it_had(session, change, own):
    talk(session, "a b c")
    set_label(session=session, uid="a", text="start")
    compact(session, "a", "b")
    fork = forked(session, "b")
    talk(fork, own)
    set_label(session=fork, uid="b", text="here")
    add_usage(session=fork, tokens=Tokens(1), message="a")
    before = bodies(fork), seen(fork), context_tokens(fork), head(fork)

    change(session)

    assert (bodies(fork), seen(fork), context_tokens(fork), head(fork)) == before
    assert fresh(fork).fork_point is None
    assert fresh(fork).message_count == fork.messages.count() == len(before[0])
    assert set(fork.messages.values_list("uid", flat=True)) == set(f"a b {own}".split())
    assert dict(fork.labels.values_list("message__uid", "text")) == {
        "a": "start",
        "b": "here",
    }
    assert fork.usage_rows.get().message in fork.messages.all()
    say(fork, "more")
    assert seen(fork).endswith("more")
    connection.check_constraints()


def test_a_change_below_the_fork_leaves_it(session):
    talk(session, "a b c")
    fork = forked(session, "b")

    edit(session, "c")
    delete_messages(session=session, uids=["c"])

    assert fresh(fork).fork_point is not None
    assert fork.messages.count() == 0


def test_a_session_keeps_what_its_fork_changes(session):
    talk(session, "a b c")
    before = bodies(session)
    fork = forked(session)

    edit(fork)
    delete_messages(session=fork, uids=["b"])

    assert bodies(session) == before
    assert bodies(fork) == [EDITED.body, before[2]]


def test_a_cleared_fork_is_apart(session):
    talk(session, "a b")
    fork = forked(session)

    assert clear_session(session=fork) == 2

    assert seen(fork) == ""
    assert seen(session) == "a b"
    say(fork, "a")
    assert seen(fork) == "a"


def test_compactions_of_a_fork_are_its_own(session):
    talk(session, "a b c")
    uid = compact(session, "a", "b").uid
    fork = forked(session)

    delete_compaction(session=fork, uid=uid)
    compact(fork, "b", "c", "its own")

    assert seen(fork) == "a C[its own]"
    assert seen(session) == "C[S] c"


def test_a_fork_of_a_fork(session):
    talk(session, "a b")
    fork = forked(session)
    talk(fork, "c d")

    nested = forked(fork, "c")
    talk(nested, "e")

    assert seen(nested) == "a b c e"
    assert nested.parent_session == fork


def test_a_fork_of_a_fork_at_what_that_inherits(session):
    talk(session, "a b")
    fork = forked(session)
    talk(fork, "c")

    nested = forked(fork, "a")
    edit(fork, "c")
    delete_session(session=fork)

    assert seen(nested) == "a"
    assert fresh(nested).fork_point in session.messages.all()


@pytest.mark.parametrize("changed", [0, 1, 2])
@pytest.mark.parametrize("change", [edit, lambda s: delete_session(session=s)])
def test_nested_forks_come_apart_in_the_right_order(session, change, changed):
    talk(session, "a b")
    sessions = [session]
    for word in "cdef":
        sessions.append(forked(sessions[-1]))
        say(sessions[-1], word)
    histories = [bodies(each) for each in sessions]

    change(sessions[changed])

    for number, each in enumerate(sessions):
        if number != changed:
            assert bodies(each) == histories[number]
    connection.check_constraints()


def test_a_fork_of_a_new_root_of_a_fork(session):
    talk(session, "a b")
    fork = forked(session)
    talk(fork, "r s", parent=None)
    nested = forked(fork)
    say(nested, "t")

    edit(session)

    assert seen(nested) == "r s t"
    assert seen(fork) == "r s"
    assert seen(fork, "b") == "a b"


def test_after_coming_apart_ids_are_still_unique(session):
    talk(session, "a b c")
    fork = forked(session, "a")
    talk(fork, "b c")

    edit(session)

    assert seen(fork) == "a b c"
    assert fork.messages.count() == 3


def test_a_copy_keeps_its_times_and_numbers(session):
    talk(session, "a b")
    fork = forked(session)
    say(fork, "c")
    fields = ("uid", "seq", "depth", "role", "tokens", "path_tokens", "created_at")
    before = list(session.messages.order_by("seq").values_list(*fields))

    edit(session)

    after = list(fork.messages.order_by("seq").values_list(*fields))
    assert after[:2] == before
    assert after[2][:3] == ("c", 2, 2)


def test_number_of_queries_is_constant(session):
    talk(session, "a b")
    with CaptureQueriesContext(connection) as short:
        forked(session)
    talk(session, " ".join(f"m{i}" for i in range(300)))
    for i in range(0, 300, 10):
        compact(session, f"m{i}", f"m{i + 8}")
        set_label(session=session, uid=f"m{i}", text="here")

    with CaptureQueriesContext(connection) as long:
        fork = forked(session)

    assert fork.compactions.count() == 30
    assert len(short) <= 20
    # Those that are there are read, and each kind is copied at once.
    assert len(long) <= len(short) + 6


def test_nothing_is_left_behind(session):
    talk(session, "a b")
    forks = [forked(session) for _ in range(3)]
    compact(session, "a", "b")

    for each in [session, *forks]:
        delete_session(session=each)

    assert not Message.objects.exists()
    assert not Compaction.objects.exists()
    assert not Label.objects.exists()
    assert not Session.objects.exists()
