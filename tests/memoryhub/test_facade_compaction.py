"""``memoryhub.Session``: compaction by a function of the host, or by the server."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction

from memoryhub import (
    Session,
    create_compact_function,
)
from sessions_app import models
from sessions_app.models import Job
from sessions_app.services.compaction.overlays import BadRange, StalePlan
from tests.facade import sessions_of_all_kinds, trip
from tests.memoryhub.test_storage_contract import message, seen, talk


def fold_all_but_last(messages: list[dict[str, Any]], **_: Any) -> dict[str, str]:
    return {
        "from_message_id": messages[0]["id"],
        "to_message_id": messages[-2]["id"],
        "summary": f"S{len(messages)}",
    }


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [0, 1])
def test_compaction_after_an_append(kind: int) -> None:
    changes: list[str] = []
    session = sessions_of_all_kinds()[kind].compact_after(30)
    session.on_compaction(fold_all_but_last).on_change(lambda c: changes.append(c.kind))

    talk(session, "a b c d e")
    assert seen(session) == "a b c d e"
    talk(session, "f")
    assert seen(session) == "C[S6] f"
    talk(session, "g h i")

    assert seen(session) == "C[S6] f g h i"
    talk(session, "j")
    assert seen(session) == "C[S6] j"
    assert changes == ["append"] * 5 + ["compact"] + ["append"] * 3 + ["compact"]
    assert not Job.objects.exists()


@pytest.mark.django_db
def test_without_a_function_the_servers_jobs_do_it() -> None:
    session = trip().compact_after(10)

    talk(session, "a b c")

    assert Job.objects.get().name == "compact_session"
    assert models.Session.objects.get().compact_after == 10


@pytest.mark.django_db
def test_without_a_function_compact_is_the_servers() -> None:
    session = trip().compact_after(100)
    for number in range(30):
        session.append_message(message(str(number), "some words that take tokens"))

    made = session.compact()

    assert made
    assert len(session.get_history()) < 30
    assert session.compact() is None


@pytest.mark.django_db
def test_a_failed_compaction_does_no_harm() -> None:
    errors: list[Exception] = []
    calls = []

    def fail(messages: Any) -> None:
        calls.append(len(messages))
        raise ZeroDivisionError("no model")

    session = trip().on_compaction(fail).compact_after(20)
    session.on_compaction_error(errors.append)

    talk(session, "a b c d e f")

    assert seen(session) == "a b c d e f"
    assert [str(error) for error in errors] == ["no model"] * len(calls)
    # Not after each append: only where there is somewhat more.
    assert calls == [5, 6] or calls == [4, 5, 6]
    assert models.Session.objects.get().compaction_error == "no model"
    with pytest.raises(ZeroDivisionError):
        session.compact()


@pytest.mark.django_db
def test_the_servers_jobs_leave_it_to_a_function() -> None:
    agent = models.Agent.objects.create(name="busy", compact_after=10)
    session = Session.create(agent=agent).for_session("trip")
    session.on_compaction(lambda messages: None).compact_after(20)

    talk(session, "a b c d e f")

    assert not Job.objects.exists()


@pytest.mark.django_db
def test_a_summary_that_is_too_long_is_not_made_again_after_each_append() -> None:
    prompts = []

    def long_winded(prompt: str) -> str:
        prompts.append(prompt)
        return "word " * 150

    session = trip().compact_after(100)
    session.on_compaction(
        create_compact_function(summarize=long_winded, tail_token_budget=10)
    )

    talk(session, " ".join(f"m{number}" for number in range(40)))

    # At 100 tokens, and then for each 10 more, which are two messages.
    assert 3 < len(prompts) < 15


@pytest.mark.django_db
def test_a_handler_may_fail_too(caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: Any) -> None:
        raise ZeroDivisionError

    silent = trip().on_compaction(fail).compact_after(1)
    silent.append_message(message("a"))
    assert "A compaction failed" in caplog.text
    other = trip().on_compaction(fail).on_compaction_error(fail).compact_after(1)
    other.append_message(message("b"))

    assert "A handler of compaction errors failed" in caplog.text
    assert seen(other) == "a b"


@pytest.mark.django_db
def test_what_a_function_may_return() -> None:
    answers: list[Any] = [
        None,
        {"from_message_id": "a", "to_message_id": "nope", "summary": "S"},
    ]
    given: list[Any] = []

    def function(messages: Any, token_counter: Any = None) -> Any:
        given.append(token_counter)
        return answers.pop(0)

    session = trip(token_counter=len).on_compaction(function)
    talk(session, "a b")

    assert session.compact() is None
    with pytest.raises(BadRange):
        session.compact()
    assert given == [len, len]


@pytest.mark.django_db
@pytest.mark.parametrize("kind", [0, 1])
def test_a_session_that_changes_while_it_is_summed_up(kind: int) -> None:
    session = sessions_of_all_kinds()[kind]
    other = Session(session._parts.storage)

    def function(messages: Any) -> dict[str, str]:
        other.append_message(message("later"))
        if len(messages) == 3:
            other.update_message(message("b", "other words"))
        return fold_all_but_last(messages)

    session = Session(other._parts.storage).on_compaction(function)
    talk(session, "a b c")

    with pytest.raises(StalePlan):
        session.compact()
    assert session.compact()

    assert seen(session) == "C[S4] later"


@pytest.mark.django_db
def test_create_compact_function_goes_on_from_the_last_summary() -> None:
    prompts: list[str] = []

    def summarize(prompt: str) -> str:
        prompts.append(prompt)
        return f"Summary {len(prompts)}"

    compact = create_compact_function(summarize=summarize, tail_token_budget=10)
    session = trip().on_compaction(compact)
    talk(session, "a b c d e f g h")
    assert session.compact()
    talk(session, "i j k l")

    made = session.compact()

    assert made
    assert made["from_message_id"] == "d"
    assert "Summary 1" in prompts[1]
    assert "i" in prompts[1]
    assert seen(session) == "a b c C[Summary 2] k l"
    blank = create_compact_function(summarize=lambda prompt: " ", tail_token_budget=0)
    assert blank(session.get_history()) is None
    assert compact(session.get_history()[:4]) is None


@pytest.mark.django_db
def test_the_function_runs_outside_of_the_appends_transaction() -> None:
    depths = []

    def function(messages: Any) -> None:
        depths.append(len(connection.savepoint_ids))

    with transaction.atomic():
        before = len(connection.savepoint_ids)
        trip().on_compaction(function).compact_after(1).append_message(message("a"))

    assert depths == [before]
