from __future__ import annotations

import pytest

from sessions_app.models import Agent, ApiKey, Session, Usage
from sessions_app.services.forest.creating import create_session
from sessions_app.services.registry.agents import create_agent
from sessions_app.services.registry.keys import create_key
from sessions_app.services.spend.usage import Tokens, add_usage
from tests.builders import talk

pytestmark = pytest.mark.django_db
XSS = "<script>alert(1)</script>"


def test_the_list_says_what_each_has(viewer, session, stranger):
    talk(session, "m1 m2")
    create_key(agent=session.agent)
    add_usage(session=session, tokens=Tokens(input_tokens=5), model="no such model")
    page = viewer.get("/agents")

    support, other = page.context["rows"][1], page.context["rows"][0]
    assert (other.sessions, other.messages, other.calls) == (0, 0, 0)
    assert (support.sessions, support.messages, support.keys) == (1, 2, 1)
    assert support.cost_nanos is None
    assert "not priced" in page.content.decode()


def test_a_filter(viewer, agent, stranger):
    assert len(viewer.get("/agents", {"q": "SUPP"}).context["rows"]) == 1
    assert "No agent matches" in viewer.get("/agents", {"q": XSS}).content.decode()
    assert XSS not in viewer.get("/agents", {"q": XSS}).content.decode()


def test_no_agents(viewer):
    assert "No agents yet" in viewer.get("/agents").content.decode()


def test_an_agent_is_made_and_changed(operator):
    given = {"name": XSS, "description": XSS, "compact_after": "100,000"}
    response = operator.post("/agents", given)

    made = Agent.objects.get()
    assert response["Location"] == f"/agents/{made.pk}"
    assert made.compact_after == 100_000
    assert XSS not in operator.get(f"/agents/{made.pk}").content.decode()
    assert XSS not in operator.get("/agents").content.decode()
    given = {"description": "d", "compact_after": "", "metadata": '{"a": [1]}'}
    assert operator.post(f"/agents/{made.pk}", given).status_code == 303
    changed = Agent.objects.get()
    assert changed.description == "d"
    assert changed.compact_after is None
    assert changed.metadata == {"a": [1]}


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"name": "support"}, 409),
        ({"name": ""}, 422),
        ({"compact_after": "many"}, 422),
        ({"compact_after": "9" * 40}, 422),
        ({"metadata": "[1]"}, 422),
        ({"metadata": "{"}, 422),
        ({"metadata": '{"a": "\\u0000"}'}, 422),
        ({"description": "\0"}, 422),
    ],
)
def test_what_cannot_be_is_refused(operator, agent, fields, status):
    response = operator.post("/agents", {"name": "new", "description": "kept"} | fields)
    assert response.status_code == status
    assert Agent.objects.count() == 1
    if "description" not in fields:
        assert "kept</textarea>" in response.content.decode()
    if "name" not in fields:
        assert operator.post(f"/agents/{agent.pk}", fields).status_code == status


def test_an_agent_goes_with_all_it_has(manager, session):
    talk(session, "m1 m2")
    create_key(agent=session.agent)
    add_usage(session=session, tokens=Tokens(input_tokens=5))
    page = f"/agents/{session.agent_id}"
    text = manager.get(page).content.decode()
    assert "1 session, 2 messages, 1 key, its blocks, and 1 row of the ledger" in text

    assert manager.post(f"{page}/delete", {"name": "suport"}).status_code == 422
    assert Session.objects.exists()
    assert manager.post(f"{page}/delete", {"name": "support"}).status_code == 303

    assert not Agent.objects.exists()
    assert not Session.objects.exists()
    assert not ApiKey.objects.exists()
    assert not Usage.objects.exists()


def test_roles(viewer, operator, agent):
    page = f"/agents/{agent.pk}"
    assert viewer.get(page).status_code == 200
    assert b"<form class" not in viewer.get(page).content.split(b"<main")[1]
    assert viewer.post(page, {"description": "x"}).status_code == 403
    assert viewer.post("/agents", {"name": "x"}).status_code == 403
    assert operator.post(f"{page}/delete", {"name": "support"}).status_code == 403
    assert operator.get("/agents/999").status_code == 404
    assert Agent.objects.count() == 1


def test_many_agents_take_as_many_queries(
    viewer, agent, stranger, django_assert_num_queries
):
    for number in range(60):
        one = create_agent(f"agent {number:02}")
        create_session(agent=one)
    # Login session, person, groups; agents counted and read, sessions, spend, keys; dot.
    viewer.get("/agents")
    with django_assert_num_queries(8):
        page = viewer.get("/agents", {"page": "2"})
    assert len(page.context["rows"]) == 12
    assert "51 to 62 of 62 agents" in page.content.decode()
    assert viewer.get("/agents", {"page": "x"}).status_code == 200
