"""What lists and pages ask the database for."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.admin import message_lists
from sessions_app.models import Agent, IdempotencyRecord, Message, Price, Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.jobs import enqueue
from sessions_app.services.registry.keys import create_key
from sessions_app.services.spend.usage import Tokens, add_usage
from sessions_app.services.webhooks import create_webhook, send_test
from sessions_app.services.writing.editing import set_label
from tests.admin_pages import OURS, act, change_page, delete_page, page_of
from tests.budgeting import limit
from tests.builders import compact, say, talk

# The session and the user take two, a list's rows and their number two.
MOST_QUERIES = 7
LARGE = ('message"."body', 'compaction"."summary', 'usage"."raw', 'record"."content')


def fill(agent, numbers):
    for number in numbers:
        session = create_session(agent=agent, key=f"many-{number}", model="gpt-5")
        talk(session, "one two")
        compact(session, "one", "two")
        set_label(session=session, uid="two", text=f"label {number}")
        add_usage(session=session, tokens=Tokens(input_tokens=1), message="one")
        key, _ = create_key(agent=agent)
        enqueue("compact_session", session=number)
        IdempotencyRecord.objects.create(api_key=key, key=str(number), digest="0")
        Agent.objects.create(name=f"agent {number}")
        Price.objects.create(model=f"model {number}")
        limit("5", session=session, hard=True)
        send_test(webhook=create_webhook(agent=agent, url="http://127.0.0.1:9/"))


def queries_of(client, address):
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return [query["sql"] for query in captured]


def test_a_list_of_a_hundred_takes_as_many_queries_as_one_of_three(admin_client, agent):
    lists = [page_of(model, "changelist") for model in OURS]

    fill(agent, range(3))
    few = [len(queries_of(admin_client, address)) for address in lists]
    fill(agent, range(3, 110))
    many = [len(queries_of(admin_client, address)) for address in lists]

    assert many == few
    assert max(many) <= MOST_QUERIES


@pytest.mark.parametrize("model", OURS, ids=lambda model: model.__name__)
def test_a_list_does_not_read_large_texts(admin_client, everything, model):
    queries = " ".join(queries_of(admin_client, page_of(model, "changelist")))

    assert [text for text in LARGE if text in queries] == []


def test_pages_of_a_large_session_take_no_more_queries(admin_client, trip):
    pages = [
        change_page(trip),
        delete_page(trip),
        change_page(trip.messages.get(uid="d")),
    ]
    # What Django asks about the models it asks for once.
    for page in pages:
        admin_client.get(page)
    few = [len(queries_of(admin_client, page)) for page in pages]

    talk(trip, " ".join(f"m{number}" for number in range(300)))

    assert [len(queries_of(admin_client, page)) for page in pages] == few
    assert max(few) <= 16


def test_the_page_before_a_deletion_does_not_list_what_goes(admin_client, trip):
    short = admin_client.get(delete_page(trip))
    talk(trip, " ".join(f"m{number}" for number in range(300)))

    page = admin_client.get(delete_page(trip))

    assert "304 messages" in page.content.decode()
    assert len(page.content) - len(short.content) < 100


def test_one_confirmation_is_for_so_many_rows(admin_client, trip):
    talk(trip, " ".join(f"m{number}" for number in range(500)))

    response = act(
        admin_client,
        "delete_selected",
        *trip.messages.all()[:1],
        select_across="1",
        post="yes",
    )

    assert "Select at most 500 at a time." in response.content.decode()
    assert trip.messages.count() == 504


def test_a_list_by_role_says_that_it_ends_early(admin_client, trip, monkeypatch):
    monkeypatch.setattr(message_lists, "MOST_COUNTED", 2)
    say(trip, "A tool's answer", role="tool")
    address = page_of(Message, "changelist")

    of_user = admin_client.get(address + "?role=user")
    of_tool = admin_client.get(address + "?role=tool")

    assert of_user.context["cl"].result_count == 2
    assert "There are more than 2." in of_user.content.decode()
    assert of_tool.context["cl"].result_count == 1
    assert "There are more than" not in of_tool.content.decode()


def test_the_messages_of_a_session_come_by_its_index(admin_client, trip):
    address = page_of(Message, "changelist") + f"?session={trip.pk}"

    listed = admin_client.get(address).context["cl"].result_list

    assert [message.uid for message in listed] == ["d", "c", "b", "a"]
    assert Session.objects.count() == 1
