"""The frozen prompt on its pages: versions, what differs, and the refresh."""

from __future__ import annotations

import pytest

from context_app.models import Prompt
from context_app.services.blocks import set_block
from context_app.services.prompts import freeze_prompt
from sessions_app.models import Price, Session
from tests.blocks import OPERATOR, block
from tests.builders import talk


@pytest.fixture
def stale(session: Session) -> Session:
    """A session whose block was written after the prompt was frozen."""
    memory = block(session, "memory", "Likes tea")
    talk(session, "a b")
    freeze_prompt(session=session)
    set_block(block=memory, content="Likes coffee <i>", author=OPERATOR)
    return session


def test_a_stale_prompt_shows_what_a_refresh_would_change(viewer, stale):
    body = viewer.get(f"/sessions/{stale.id}/context").content.decode()

    assert "stale" in body
    assert "If you refresh now: +1 −1" in body
    assert "coffee" in body
    assert "Refresh to v2" not in body  # a viewer reads


def test_its_price_is_that_of_a_cold_cache(operator, stale):
    stale.model = "claude-sonnet-4-5"
    stale.save()
    Price.objects.create(model="claude-sonnet-4-5", cache_write=1_000_000_000_000)

    body = operator.get(f"/sessions/{stale.id}/context").content.decode()

    tokens = freeze_prompt(session=stale).tokens
    assert "Refresh to v2" in body
    assert "A refresh ends the prompt cache" in body
    assert "about $0." in body
    assert tokens


def test_a_refresh_freezes_the_next_version(operator, stale):
    response = operator.post(
        f"/sessions/{stale.id}/prompt/refresh", {"next": "/sessions?q=1"}
    )

    assert response.status_code == 303
    assert response["Location"] == "/sessions?q=1"
    assert "coffee" in Prompt.objects.get(session=stale, version=2).text

    again = operator.post(f"/sessions/{stale.id}/prompt/refresh", follow=True)
    assert "the prompt stays v2" in again.content.decode()


@pytest.mark.parametrize(
    "place", ["//evil.example/x", "https://evil.example", "javascript:1"]
)
def test_it_leads_nowhere_else(operator, stale, place):
    response = operator.post(f"/sessions/{stale.id}/prompt/refresh", {"next": place})

    assert response["Location"] == f"/sessions/{stale.id}/context"


def test_a_viewer_may_not_refresh(viewer, client, stale):
    url = f"/sessions/{stale.id}/prompt/refresh"

    assert viewer.post(url).status_code == 403
    assert client.post(url)["Location"].startswith("/login")
    assert viewer.get(url).status_code == 405
    assert Prompt.objects.count() == 1


def test_a_hosts_own_prompt_is_not_refreshed_from_here(operator, stale):
    Prompt.objects.update(hosted=True)

    body = operator.get(f"/sessions/{stale.id}/context").content.decode()
    response = operator.post(f"/sessions/{stale.id}/prompt/refresh", follow=True)

    assert "Only that can render it" in body
    assert "Nothing was changed" in response.content.decode()
    assert Prompt.objects.count() == 1


def test_versions_texts_and_what_differs(operator, stale):
    operator.post(f"/sessions/{stale.id}/prompt/refresh")
    base = f"/sessions/{stale.id}/prompt"

    assert "coffee &lt;i&gt;" in operator.get(base).content.decode()
    assert "Likes tea" in operator.get(f"{base}?v=1").content.decode()
    for rest in ("?a=1&b=2", "?a=1&b=now", "?a=1&b=2&view=side"):
        body = operator.get(base + rest).content.decode()
        assert "tea" in body
        assert "coffee" in body
    assert (
        "the same to the letter" in operator.get(f"{base}?a=2&b=now").content.decode()
    )


@pytest.mark.parametrize("rest", ["?v=9", "?v=x", "?v=-1", "?a=1&b=", "?a=%01&b=1"])
def test_a_version_that_is_not_there(viewer, stale, rest):
    assert viewer.get(f"/sessions/{stale.id}/prompt{rest}").status_code == 404


def test_before_the_first_call_there_is_none(viewer, session):
    block(session, "memory", "Likes tea")

    body = viewer.get(f"/sessions/{session.id}/prompt").content.decode()
    now = viewer.get(f"/sessions/{session.id}/prompt?v=now").content.decode()

    assert "No prompt is frozen yet" in body
    assert "Likes tea" in now
    assert not Prompt.objects.exists()
