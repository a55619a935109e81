from __future__ import annotations

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from msgspec import UNSET

from sessions_app import sql
from sessions_app.errors import NotFound
from sessions_app.messages import read_message
from sessions_app.models import Message, SearchDocument
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out, delete_session
from sessions_app.services.writing.appending import DuplicateId, append_messages
from sessions_app.services.writing.conflicts import UnknownParent
from sessions_app.sql import climbs
from tests.builders import (
    append,
    compact,
    context_tokens,
    counted_tokens,
    draft,
    fresh,
    head,
    hidden_tokens,
    say,
    seen,
    talk,
)


def statuses(done):
    return [(receipt.uid, receipt.status) for receipt in done.receipts]


def test_it_works(session):
    done = append(session, draft("Hello there", "m1"), draft("Hi", "m2", "assistant"))

    assert statuses(done) == [("m1", "created"), ("m2", "created")]
    assert done.created
    assert done.head == "m2"
    assert done.context_tokens == 7 + 6
    first, second = session.messages.order_by("id")
    assert (first.parent, first.depth, first.seq, first.tokens) == (None, 0, 0, 7)
    assert (second.parent, second.depth, second.seq, second.path_tokens) == (
        first,
        1,
        1,
        13,
    )
    assert second.role == "assistant"
    assert fresh(session).head == second
    assert fresh(session).message_count == 2
    assert fresh(session).updated_at == second.created_at


def test_a_receipt_says_where_a_message_is(session):
    say(session, "root")

    (receipt,) = append(session, draft("Hello there", "m1")).receipts

    assert receipt == ("m1", "created", 1, 1, 7)


def test_it_follows_the_head(session):
    say(session, "first")

    say(session, "second")

    assert seen(session) == "first second"


def test_it_branches_from_a_given_parent(session):
    talk(session, "root left")

    talk(session, "right more", parent="root")

    assert seen(session) == "root right more"
    assert seen(session, "left") == "root left"


def test_it_starts_a_new_root(session):
    talk(session, "old older")

    say(session, "new", parent=None)

    assert seen(session) == "new"
    assert seen(session, "older") == "old older"


def test_the_parent_may_be_the_summary_of_a_compaction(session):
    talk(session, "a b c d")
    compaction = compact(session, "b", "c")

    say(session, "e", parent=f"compaction_{compaction.uid}")

    assert seen(session) == "a C[S] e"


def test_a_message_is_kept_as_it_was_sent(session):
    body = b'{ "id":"m1", "role":"user","parts":[ ],"n": 1.50, "big":123456789012345678901}'

    append_messages(session_id=session.id, drafts=[read_message(body, "message")])

    assert session.messages.get().body == body.decode()


def test_an_id_is_made_where_none_is_sent(session):
    (receipt,) = append(session, draft("Hello")).receipts

    message = session.messages.get()
    assert message.uid == receipt.uid == orjson.loads(message.body)["id"]
    assert len(message.uid) == 36


def test_several_without_an_id_are_several(session):
    append(session, draft("Hello"), draft("Hello"))

    assert session.messages.count() == 2


def test_a_retry_changes_nothing(session):
    talk(session, "a b")
    before = fresh(session)

    done = append(session, draft("other", "a"), draft("other", "b"))

    assert statuses(done) == [("a", "existing"), ("b", "existing")]
    assert not done.created
    assert (done.head, done.context_tokens) == ("b", context_tokens(session))
    assert [receipt.seq for receipt in done.receipts] == [0, 1]
    assert session.messages.get(uid="a").body == draft("a", "a").body
    assert fresh(session).updated_at == before.updated_at


def test_a_retry_is_welcome_though_the_head_has_moved_on(session):
    append(session, draft("", "a"), expected_head=None)
    say(session, "b")

    done = append(session, draft("", "a"), expected_head=None)

    assert statuses(done) == [("a", "existing")]
    assert done.head == "b"


def test_a_retry_of_a_part_goes_on_after_it(session):
    talk(session, "a b")

    talk(session, "a b c")

    assert seen(session) == "a b c"


def test_what_follows_an_existing_message_becomes_a_branch(session):
    talk(session, "a b c")

    talk(session, "new a other")

    assert seen(session, "new") == "a b c new"
    assert seen(session) == "a other"


def test_echoes_of_compactions_are_dropped(session):
    talk(session, "a b c")
    uid = f"compaction_{compact(session, 'a', 'b').uid}"

    done = append(session, draft("S", uid), draft("", "d"))

    assert statuses(done) == [(uid, "dropped"), ("d", "created")]
    assert seen(session) == "C[S] c d"


def test_nothing_but_echoes(session):
    done = append(session, draft("S", "compaction_1"))

    assert statuses(done) == [("compaction_1", "dropped")]
    assert (done.created, done.head, done.context_tokens) == (False, None, 0)


def test_no_messages(session):
    done = append(session)

    assert (done.receipts, done.head) == ([], None)


def test_an_id_twice_in_a_batch(session):
    with pytest.raises(DuplicateId) as caught:
        talk(session, "a b a")

    assert caught.value.code == "duplicate_id"
    assert caught.value.details == {"id": "a"}
    assert session.messages.count() == 0


def test_an_unknown_parent(session):
    say(session, "a")

    with pytest.raises(UnknownParent) as caught:
        talk(session, "b c", parent="nope")

    assert caught.value.code == "unknown_parent"
    assert caught.value.details == {"parent": "nope"}
    assert seen(session) == "a"


def test_a_parent_in_another_session(agent, session):
    other = create_session(agent=agent)
    say(other, "theirs")

    with pytest.raises(UnknownParent):
        say(session, "a", parent="theirs")


def test_a_session_that_is_gone(session):
    stale = fresh(session)
    delete_session(session=session)

    with pytest.raises(NotFound):
        append(stale, draft("", "a"))


def test_two_sessions_may_have_messages_of_one_id(agent, session):
    other = create_session(agent=agent)
    say(session, "a")

    say(other, "a")

    assert Message.objects.filter(uid="a").count() == 2


def test_a_fork_has_what_it_inherits(session):
    talk(session, "a b c")
    fork = fork_session(session=session, at="b")

    done = append(fork, draft("", "a"), draft("", "b"), draft("", "c"), draft("", "d"))

    assert [status for _, status in statuses(done)] == [
        "existing", "existing", "created", "created",
    ]  # fmt: skip
    assert seen(fork) == "a b c d"
    assert fork.messages.count() == 2
    assert fresh(fork).message_count == 4


def test_a_fork_may_branch_from_what_it_inherits(session):
    talk(session, "a b c")
    fork = fork_session(session=session)

    say(fork, "d", parent="a")

    assert seen(fork) == "a d"
    assert seen(fork, "c") == "a b c"


@pytest.mark.parametrize(
    ("batch", "parent"),
    [
        ("x", UNSET),
        ("x", "a"),
        ("x", "d"),
        ("x", None),
        ("x y", "other"),
        # A batch whose later part follows what is there, on another branch.
        ("x d y", "other"),
        ("x other y", "d"),
        ("x other", UNSET),
    ],
)
@pytest.mark.parametrize("at", ["d", "other"])
def test_what_is_hidden_is_known_on_each_branch(session, batch, parent, at):
    talk(session, "a b c d")
    compact(session, "b", "c", "short")
    say(session, "other", parent="a")
    check_out(session=session, uid=at)

    done = append(
        session, *(draft("text", uid) for uid in batch.split()), parent=parent
    )

    assert done.context_tokens == counted_tokens(session)
    on_path = "C[" in seen(session)
    assert (hidden_tokens(session) != 0) == on_path


def test_a_deep_path_is_climbed_in_few_steps(session):
    append(session, *(draft("", f"m{i}") for i in range(1000)))
    for i in range(1000, 1100):
        say(session, f"m{i}")

    path = list(session.messages.order_by("id"))

    spine = sql.rows(climbs.SPINE, message=path[-1].id, steps=10_000)
    assert len(spine) < 2 * 11
    assert [message.depth for message in path] == list(range(1100))
    assert all(message.skip < message.id for message in path[1:])


def test_each_message_has_a_search_document(session):
    talk(session, "hello world")

    documents = SearchDocument.objects.order_by("id")

    assert [document.text for document in documents] == ["hello", "world"]
    assert [document.ref for document in documents] == [
        message.id for message in session.messages.order_by("id")
    ]


def test_number_of_queries(session, django_assert_num_queries):
    say(session, "a")
    # A transaction takes two (in a test, a savepoint); the session, the message of that
    # id, the last primary key, the spine; the message, its document, the head.
    with django_assert_num_queries(9):
        append_messages(session_id=session.id, drafts=[draft("", "b")])


def test_number_of_queries_of_a_batch(session, django_assert_num_queries):
    say(session, "a")

    with django_assert_num_queries(9):
        talk(session, " ".join(f"m{i}" for i in range(100)))


def test_number_of_queries_does_not_depend_on_the_depth(session):
    say(session, "root")
    with CaptureQueriesContext(connection) as few:
        say(session, "first")
    talk(session, " ".join(f"m{i}" for i in range(500)))
    with CaptureQueriesContext(connection) as many:
        say(session, "last")

    assert len(many) == len(few)


def test_the_head_is_the_last_that_was_made(session):
    talk(session, "a b c")
    check_out(session=session, uid="a")

    talk(session, "new c")

    assert head(session) == "new"
