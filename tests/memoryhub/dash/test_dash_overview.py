"""The overview: first steps, figures, and what needs attention."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.utils.timezone import now

from context_app.models import AgentPolicy
from context_app.services.blocks import set_block
from memoryhub.dash import attention
from sessions_app.models import Budget, Job
from sessions_app.services.compaction.outcomes import note_failure
from sessions_app.services.forest.creating import create_session
from sessions_app.services.spend.budget_changes import create_budget
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.blocks import INJECTION, KEY, block
from tests.builders import talk
from tests.counting import count_queries


@pytest.fixture(autouse=True)
def _nothing_is_kept():
    attention._kept.clear()


def text(client):
    response = client.get("/")
    assert response.status_code == 200
    return response.content.decode()


def titles():
    return [matter.title for matter in attention.matters()]


def test_the_first_run_shows_the_steps(operator):
    page = text(operator)

    assert "No sessions yet" in page
    assert "curl -X POST http://testserver/api/v1/sessions/trip/messages" in page
    assert "Import a file" in page


def test_a_viewer_is_not_offered_what_he_may_not(viewer):
    page = text(viewer)

    assert "Import a file" not in page
    assert "Create a key" not in page


def test_it_counts_what_goes_on(viewer, session):
    talk(session, "one two three")
    add_usage(session=session, tokens=Tokens(input_tokens=1200), cost=Decimal("0.5"))

    page = text(viewer)

    assert "Overview" in page
    assert '>3</span><span class="meta">last 24 h' in page
    assert "$0.5000" in page
    assert "Nothing. Failed compactions" in page


def test_what_failed_needs_attention(viewer, session):
    note_failure(session, "Summarizer answered 429")

    page = text(viewer)

    assert "Summarizer answered 429" in page
    assert '<span class="dot"' in page


def test_a_budget_that_is_nearly_used_up(session):
    create_budget(name="Daily", agent=session.agent, period="day", limit=Decimal(1))
    add_usage(
        session=session, tokens=Tokens(input_tokens=1), cost=Decimal("0.9"), model="m"
    )

    assert Budget.objects.count() == 1
    assert any("is at 90%" in title for title in titles())


def test_writes_in_quarantine(agent, session):
    AgentPolicy.objects.create(agent=agent, scan=AgentPolicy.Scan.QUARANTINE)
    set_block(block=block(session), content=INJECTION, author=KEY)

    assert "1 write in quarantine" in titles()


def test_jobs_that_failed_for_good(db):
    Job.objects.create(name="compact", error="No such host", finished_at=now())

    assert "1 job failed for good" in titles()


def test_calls_without_a_price(session):
    add_usage(session=session, tokens=Tokens(input_tokens=1), model="home-made")

    assert "1 call has no price" in titles()


def test_failures_come_first(session):
    add_usage(session=session, tokens=Tokens(input_tokens=1), model="home-made")
    note_failure(session, "No")

    assert titles() == ["Compaction failed", "1 call has no price"]


def test_the_dot_is_not_counted_for_every_page(session, django_assert_num_queries):
    attention.count_attention()

    with django_assert_num_queries(0):
        assert attention.count_attention() == 0


def test_it_asks_as_much_of_many_sessions_as_of_few(viewer, agent):
    for number in range(6):
        talk(create_session(agent=agent), f"a{number} b{number}")
    text(viewer)  # what is looked up once
    few = count_queries(viewer, "/")
    for number in range(20):
        talk(create_session(agent=agent), f"c{number} d{number}")

    assert count_queries(viewer, "/") == few
    assert few <= 45
