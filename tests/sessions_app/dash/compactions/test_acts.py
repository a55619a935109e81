"""What operators do to compactions, and what they are told."""

from __future__ import annotations

import pytest

from sessions_app.models import Compaction, Job
from sessions_app.services.compaction.overlays import digest, update_compaction
from sessions_app.services.jobs import run_next
from tests.builders import append, compact, draft, fresh, say, seen, talk


@pytest.fixture
def made(session):
    talk(session, "a b c d e f")
    return compact(session, "b", "d", "Mine")


def url(session, rest=""):
    return f"/sessions/{session.id}/compactions{rest}"


def post(client, session, rest, **fields):
    return client.post(url(session, rest), fields)


def told(response):
    return "".join(str(each) for each in response.context["messages"])


def test_disable_and_undo(operator, session, made):
    response = operator.post(url(session, f"/{made.uid}/disable"), follow=True)

    assert seen(session) == "a b c d e f"
    assert "the context goes from" in told(response)
    assert f"/{made.uid}/enable" in response.content.decode()

    operator.post(url(session, f"/{made.uid}/enable"))
    assert seen(session) == "a C[Mine] e f"


def test_it_leads_back_to_where_one_was(operator, session, made):
    there = f"/sessions/{session.id}?msg=b"

    assert (
        post(operator, session, f"/{made.uid}/disable", next=there)["Location"] == there
    )
    for place in ("//evil.example", "https://evil.example/x"):
        answer = post(operator, session, f"/{made.uid}/enable", next=place)
        assert answer["Location"] == url(session)


def test_one_that_overlaps_stays_disabled_and_says_why(operator, session, made):
    update_compaction(session=session, uid=made.uid, state="disabled")
    compact(session, "c", "e", "Other")

    response = operator.post(url(session, f"/{made.uid}/enable"), follow=True)

    assert "Nothing was changed" in told(response)
    assert seen(session) == "a b C[Other] f"


def test_edit_saves_with_the_line_ends_of_everything_else(operator, session, made):
    post(
        operator,
        session,
        f"/{made.uid}/edit",
        summary="One\r\nTwo",
        digest=digest("Mine"),
    )

    assert Compaction.objects.get().summary == "One\nTwo"


def test_an_edit_that_meets_another_keeps_both_texts(operator, session, made):
    update_compaction(session=session, uid=made.uid, summary="Theirs")

    response = post(
        operator,
        session,
        f"/{made.uid}/edit",
        summary="My words",
        digest=digest("Mine"),
    )

    shown = response.content.decode()
    assert response.status_code == 409
    assert "Not saved." in shown
    assert "Theirs" in shown
    assert "My words" in shown
    assert Compaction.objects.get().summary == "Theirs"

    # The form knows by now what it would replace.
    again = post(
        operator,
        session,
        f"/{made.uid}/edit",
        summary="My words",
        digest=digest("Theirs"),
    )
    assert again.status_code == 303
    assert digest("Theirs") in shown


@pytest.mark.parametrize("summary", ["", "  \n", "a\0b"])
def test_a_summary_that_is_none_is_refused(operator, session, made, summary):
    response = post(operator, session, f"/{made.uid}/edit", summary=summary)

    assert response.status_code == 422
    assert Compaction.objects.get().summary == "Mine"


def test_delete_says_what_is_seen_and_does_not_lead_to_what_is_gone(
    operator, session, made
):
    shown = operator.get(url(session)).content.decode()
    assert "The model sees 3 messages again" in shown

    response = post(
        operator, session, f"/{made.uid}/delete", next=url(session, f"?open={made.uid}")
    )

    assert response["Location"] == url(session)
    assert seen(session) == "a b c d e f"


def test_make_one_by_hand_with_numbers_or_ids(operator, session):
    talk(session, "a b c d e f")

    post(operator, session, "/make", how="own", first="#2", last="c", summary="Mine")

    assert seen(session) == "a C[Mine] d e f"
    made = Compaction.objects.get()
    assert made.created_by == "operator oscar"
    assert made.method == "operator"


def test_numbers_are_those_of_the_branch_looked_at(operator, session):
    talk(session, "a b c")
    say(session, "x", parent="a")

    post(
        operator,
        session,
        "/make?leaf=c",
        how="own",
        first="#2",
        last="#3",
        summary="Mine",
    )

    assert seen(session, "c") == "a C[Mine]"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"first": "#9"}, 422),
        ({"first": "#0"}, 422),
        ({"first": "nobody"}, 422),
        ({"first": "#5", "last": "#2"}, 422),
        ({"first": "#3"}, 409),
        ({"summary": " "}, 422),
        ({"planned_at": "nobody"}, 409),
        ({"first": "\0"}, 422),
    ],
)
def test_what_cannot_be_made_keeps_what_was_typed(
    operator, session, made, fields, status
):
    sent = {
        "how": "own",
        "first": "#1",
        "last": "#5",
        "summary": "My <words>",
        **fields,
    }

    response = operator.post(url(session, "/make"), sent)

    shown = response.content.decode()
    assert response.status_code == status
    assert "Nothing was compacted." in shown
    if "summary" not in fields:
        assert "My &lt;words&gt;" in shown
    assert Compaction.objects.count() == 1


def test_the_server_makes_one_as_a_job(operator, session):
    append(session, *(draft("many words " * 300, f"m{n}") for n in range(1, 61)))

    response = post(operator, session, "/make", how="server", summarizer="extractive")
    again = post(operator, session, "/make", how="server")

    assert {response.status_code, again.status_code} == {303}
    assert Job.objects.unfinished().count() == 1
    run_next()
    assert Compaction.objects.get().created_by == "operator oscar"


def test_a_summarizer_that_is_none_is_refused(operator, session, made):
    response = post(operator, session, "/make", how="server", summarizer="magic")

    assert response.status_code == 422
    assert "No summarizer" in response.content.decode()


def test_the_tokens_are_counted_while_one_writes(operator, session):
    response = post(operator, session, "/count", summary="eleven words")

    assert response.content.decode().strip() == "7 tokens"


def test_pages_that_answered_a_form_can_be_loaded_again(operator, session, made):
    assert operator.get(url(session, "/make"))["Location"] == url(session, "#make")
    edit = operator.get(url(session, f"/{made.uid}/edit"))
    assert edit["Location"] == url(session, f"?edit={made.uid}")


def test_only_operators_act(viewer, client, session, made):
    for rest in (
        f"/{made.uid}/disable", f"/{made.uid}/enable", f"/{made.uid}/edit",
        f"/{made.uid}/delete", "/make", "/count",
    ):  # fmt: skip
        assert viewer.post(url(session, rest)).status_code == 403
        assert client.post(url(session, rest))["Location"].startswith("/login")
    assert seen(session) == "a C[Mine] e f"


def test_what_is_not_there_is_not_found(operator, session, made):
    for rest in (
        "/nothing/disable",
        "/nothing/enable",
        "/nothing/delete",
        "/%01/disable",
    ):
        assert operator.post(url(session, rest)).status_code == 404
    assert post(operator, session, "/nothing/edit", summary="x").status_code == 404
    assert operator.post("/sessions/999/compactions/make").status_code == 404
    assert fresh(session).compactions.count() == 1
