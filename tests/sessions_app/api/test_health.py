from __future__ import annotations

import pytest

from tests.api import Api, api_of

URL = "/health"


def test_anyone_sees_that_it_is_up(anonymous):
    assert anonymous.get(URL).json() == {"status": "ok"}


@pytest.mark.parametrize("scope", ["read", "write", "admin"])
def test_an_agents_key_shows_no_more(agent, scope):
    assert api_of(agent, scope).get(URL).json() == {"status": "ok"}


def test_a_key_that_is_none_is_no_failure(db):
    assert Api("none").get(URL).json() == {"status": "ok"}


def test_an_administrator_sees_the_state(admin_api, api, session):
    api.post(
        "/sessions/trip/messages", {"messages": [{"role": "user", "content": "x"}]}
    )

    state = admin_api.get(URL).json()

    assert state["status"] == "ok"
    assert state["versions"].keys() >= {"python", "django", "database"}
    assert (state["sessions"], state["messages"]) == (1, 1)
    assert state["search"] == {"missing": 0, "orphans": 0}
    assert state["jobs"].keys() == {"waiting", "due", "failed"}
