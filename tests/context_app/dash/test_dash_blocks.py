"""The pages of blocks: the list, what stands on a block, and who may use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from context_app.models import HeldWrite
from context_app.services.blocks import set_block
from sessions_app.models import Agent, Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from tests.blocks import INJECTION, KEY, block, fresh_block, scan_with, tool
from tests.builders import append, draft, say

EVIL = '<script>alert("x")</script>'

QUERIES_OF_A_SESSION = 14
QUERIES_OF_AN_AGENT = 12


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


def test_a_session_lists_its_own_blocks_and_the_shared_ones(
    viewer: Client, session: Session
):
    create_session(agent=session.agent)
    block(session.agent, "soul", "Be kind.", shared=True, kind="readonly", max_tokens=9)
    block(session.agent, "later", "A template.")
    block(session, "memory", "Facts.", max_tokens=100)
    shown = page(viewer, f"/sessions/{session.pk}/blocks")
    assert "soul" in shown
    assert "memory" in shown
    assert "later" not in shown
    assert "used by 2 sessions" in shown
    assert "2 / 9" in shown or "3 / 9" in shown
    # The first is chosen.
    assert "Text of soul" in shown


def test_an_agent_lists_shared_blocks_and_templates(viewer: Client, session: Session):
    block(session.agent, "soul", shared=True)
    block(session.agent, "later", "x")
    shown = page(viewer, "/blocks?agent=support&block=later")
    assert "Text of later" in shown
    assert "Copied into sessions that are made from now on" not in shown  # a viewer


def test_without_an_agent_there_is_the_one_written_last(
    viewer: Client, agent: Agent, stranger: Agent
):
    block(stranger, "soul", shared=True)
    assert "stranger: what all its sessions share" in page(viewer, "/blocks")


def test_no_agents_no_blocks_and_no_such_block_differ(viewer: Client):
    assert "No agents yet" in page(viewer, "/blocks")
    session = create_session(agent=Agent.objects.create(name="support"))
    assert "No blocks yet" in page(viewer, f"/sessions/{session.pk}/blocks")
    gone = page(viewer, "/blocks?agent=support&block=nope", 404)
    assert "There is no block “nope” here" in gone
    page(viewer, "/blocks?agent=nobody", 404)
    page(viewer, "/sessions/999/blocks", 404)
    page(viewer, "/blocks/999/versions", 404)


@pytest.mark.parametrize(
    "act", ["save", "settings", "delete", "revert", "entries/save"]
)
def test_a_viewer_sees_and_does_not_act(viewer: Client, session: Session, act: str):
    made = block(session, content="Facts.")
    assert "Save as" not in page(viewer, f"/sessions/{session.pk}/blocks")
    answer = viewer.post(f"/blocks/{made.pk}/{act}", {"content": "x", "version": 1})
    assert answer.status_code == 403
    assert fresh_block(made).content == "Facts."


def test_who_is_not_logged_in_is_led_to_the_login(session: Session):
    for address in ("/blocks", "/quarantine", f"/sessions/{session.pk}/blocks"):
        assert Client().get(address)["Location"].startswith("/login")


def test_texts_and_names_of_others_do_no_harm(viewer: Client, session: Session):
    made = block(session, "a<b>c", EVIL, description=EVIL)
    set_block(block=made, content=f"{EVIL}\n</textarea>{EVIL}", author=KEY)
    shown = page(viewer, f"/sessions/{session.pk}/blocks?view=side")
    assert EVIL not in shown
    assert "a<b>c" not in shown
    assert "a&lt;b&gt;c" in shown


def test_a_version_by_a_tool_leads_to_the_call(viewer: Client, session: Session):
    block(session)
    say(session, "hello")
    tool(session, "set_context", label="memory", content="Learned.")
    call = {
        "type": "tool-set_context",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {"label": "memory", "content": "Learned."},
        "output": "Written",
    }
    append(session, draft(uid="a 1", role="assistant", parts=[call]))
    shown = page(viewer, f"/sessions/{session.pk}/blocks")
    assert f'href="/sessions/{session.pk}?msg=a%201">#2</a>' in shown


def test_a_fork_shows_its_own_copies(viewer: Client, session: Session):
    block(session, content="Facts.")
    talk_to = say(session, "hello")
    fork = fork_session(session=session, at=talk_to.uid)
    shown = page(viewer, f"/sessions/{fork.pk}/blocks")
    assert "fork of trip" in shown
    assert "Facts." in shown


def test_what_is_held_is_said_in_the_list_and_on_the_block(
    viewer: Client, session: Session
):
    scan_with(session.agent, "quarantine")
    made = block(session)
    assert isinstance(set_block(block=made, content=INJECTION, author=KEY), HeldWrite)
    shown = page(viewer, f"/sessions/{session.pk}/blocks")
    assert "1 held" in shown
    assert "1 write to this block is held" in shown


def test_the_queries_do_not_grow_with_the_blocks(
    viewer: Client, session: Session, django_assert_num_queries: Callable[..., Any]
):
    for number in range(5):
        block(session, f"own {number}", "x")
        block(session.agent, f"shared {number}", "x", shared=True)
    address = f"/sessions/{session.pk}/blocks?block=own+3"
    page(viewer, address)
    with django_assert_num_queries(QUERIES_OF_A_SESSION):
        page(viewer, address)
    with django_assert_num_queries(QUERIES_OF_AN_AGENT):
        page(viewer, "/blocks?agent=support")
