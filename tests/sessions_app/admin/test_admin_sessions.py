from __future__ import annotations

from sessions_app import search
from sessions_app.models import Agent, Compaction, Message, Session, Usage
from sessions_app.services.registry.agents import delete_agent
from tests.admin_pages import act, change_page, delete_page, errors_of, page_of, save
from tests.builders import fresh, seen


def in_step():
    return search.missing() == search.orphans() == 0


def test_it_is_made(admin_client, agent):
    save(
        admin_client, page_of(Session, "add"), agent=agent.pk, key="new", name="New one"
    )

    session = Session.objects.get(key="new")
    assert (session.name, session.kind, session.metadata) == ("New one", "chat", {})


def test_it_gets_a_key(admin_client, agent):
    save(admin_client, page_of(Session, "add"), agent=agent.pk)

    assert len(Session.objects.get().key) == 36


def test_a_key_that_is_taken_is_refused_with_what_was_typed(admin_client, trip):
    response = save(
        admin_client,
        page_of(Session, "add"),
        agent=trip.agent_id,
        key="trip",
        name="Typed",
    )

    assert "There is a session &#x27;trip&#x27; already" in errors_of(response)
    assert 'value="Typed"' in response.content.decode()


def test_it_is_changed(admin_client, trip):
    before = trip.updated_at

    save(
        admin_client,
        change_page(trip),
        name="Renamed",
        archived="on",
        metadata='{"a": 1}',
    )

    trip = fresh(trip)
    assert (trip.name, trip.metadata) == ("Renamed", {"a": 1})
    assert trip.archived_at
    assert trip.updated_at > before


def test_it_is_taken_from_the_archive_and_set_to_expire(admin_client, trip):
    save(admin_client, change_page(trip), archived="on")
    save(
        admin_client,
        change_page(trip),
        archived="",
        expires_at_0="2030-01-01",
        expires_at_1="12:00",
    )

    trip = fresh(trip)
    assert trip.archived_at is None
    assert trip.expires_at.isoformat() == "2030-01-01T12:00:00+00:00"


def test_what_is_not_changed_is_not_written(admin_client, trip):
    save(admin_client, change_page(trip))

    assert fresh(trip).updated_at == trip.updated_at


def test_metadata_is_an_object(admin_client, trip):
    for wrong in ("[1]", "{", "3", r'{"a": "\u0000"}'):
        response = save(admin_client, change_page(trip), metadata=wrong)

        assert errors_of(response)
    assert fresh(trip).metadata == {"n": 1}


def test_where_it_stands_is_not_changed(admin_client, trip):
    save(
        admin_client,
        change_page(trip),
        key="other",
        head="",
        message_count="9",
        kv_cap="1",
    )

    assert (
        vars(fresh(trip)).items()
        >= {"key": "trip", "message_count": 4, "kv_cap": 200}.items()
    )


def test_its_page_leads_to_what_it_has(admin_client, trip, fork):
    page = admin_client.get(change_page(fork)).content.decode()

    assert (
        f'<a href="/admin/sessions_app/message/?session={fork.pk}">Messages</a>' in page
    )
    assert f'<a href="{change_page(trip)}">Trip</a>' in page
    assert f'<a href="{change_page(fork.fork_point)}">user c</a>' in page
    assert "$0.0042" in admin_client.get(change_page(trip)).content.decode()


def test_the_page_before_a_deletion_says_what_goes(admin_client, trip, fork):
    page = admin_client.get(delete_page(trip)).content.decode()

    for said in (
        "1 session<", "4 messages<", "1 compaction<", "1 label<",
        "1 fork will keep the messages shared with it, as copies.",
        "1 session made from it will stay, without the link.",
        "1 row of usage will stay in the ledger.",
    ):  # fmt: skip
        assert said in page


def test_it_is_deleted_and_its_forks_and_its_usage_stay(admin_client, trip, fork):
    response = admin_client.post(delete_page(trip), {"post": "yes"})

    assert response.status_code == 302
    assert not Session.objects.filter(key="trip").exists()
    assert seen(fork) == "a C[Short]"
    assert Usage.objects.get().session is None
    assert in_step()


def test_several_are_deleted(admin_client, trip, fork):
    asked = act(admin_client, "delete_selected", trip, fork)
    assert "2 sessions<" in asked.content.decode()
    assert Session.objects.count() == 2

    done = act(admin_client, "delete_selected", trip, fork, post="yes")

    assert "Deleted 2 sessions." in done.content.decode()
    assert not Session.objects.exists()
    assert not Message.objects.exists()
    assert in_step()


def test_an_agent_is_made_and_changed(admin_client):
    save(admin_client, page_of(Agent, "add"), name="scout", metadata='{"a": 1}')
    scout = Agent.objects.get(name="scout")
    save(admin_client, change_page(scout), compact_after="1000")

    scout.refresh_from_db()
    assert (scout.compact_after, scout.metadata) == (1000, {"a": 1})


def test_an_agents_name_is_refused(admin_client, agent):
    for wrong in ("support", "a\x07b", ""):
        response = save(admin_client, page_of(Agent, "add"), name=wrong)

        assert errors_of(response)
    assert Agent.objects.count() == 1


def test_an_agent_is_deleted_with_all_it_has(admin_client, agent, trip, fork):
    page = admin_client.get(delete_page(agent)).content.decode()
    assert "1 agent<" in page
    assert "2 sessions<" in page
    assert "4 messages<" in page

    admin_client.post(delete_page(agent), {"post": "yes"})

    assert not Agent.objects.exists()
    assert not Compaction.objects.exists()
    assert in_step()


def test_a_session_that_has_gone_is_no_failure(admin_client, agent, trip):
    address = change_page(trip)
    delete_agent(agent=agent)

    assert admin_client.get(address).status_code == 302
    assert admin_client.post(address, {}).status_code == 302
