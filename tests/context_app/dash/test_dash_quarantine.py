"""The page of held writes, and the decisions on it; the panel beside a transcript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.template import engines
from django.test import Client

from context_app.dash.marking import marked
from context_app.models import Block, HeldWrite
from context_app.services.blocks import append_block, set_block
from context_app.services.entries import set_entry
from context_app.services.policies import set_policy
from context_app.services.prompts import freeze_prompt
from context_app.services.quarantine import count_held
from sessions_app.models import Agent, Session
from tests.blocks import INJECTION, KEY, block, content, fresh_block, held, scan_with

EVIL = '<script>alert("x")</script>'


@pytest.fixture
def memory(session: Session) -> Block:
    scan_with(session.agent, "quarantine")
    return block(session, content="Facts.")


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


def hold(of: Block, text: str = f"{INJECTION} {EVIL}") -> HeldWrite:
    return held(append_block(block=of, content=text, author=KEY))


def test_a_held_write_is_shown_with_its_marks_and_its_diff(
    viewer: Client, memory: Block
):
    hold(memory)
    shown = page(viewer, "/quarantine")
    assert "override of instructions" in shown
    assert '<mark title="override of instructions">Ignore all previous' in shown
    assert "v1 → held" in shown
    assert '<tr class="inserted">' in shown
    assert "API key mh_test" in shown
    assert EVIL not in shown
    # A viewer only looks.
    assert "Approve and write" not in shown


def test_an_operator_approves(operator: Client, session: Session, memory: Block):
    write = hold(memory)
    assert count_held() == 1
    assert "Approve and write" in page(operator, "/quarantine")
    answer = operator.post(f"/quarantine/{write.pk}", {"decision": "approve"})
    assert answer.status_code == 303
    assert content(session) == f"Facts.\n{INJECTION} {EVIL}"
    assert count_held() == 0
    assert "Nothing is held" in page(operator, "/quarantine")
    shown = page(operator, "/quarantine?state=approved")
    assert "approved by operator oscar" in shown


def test_an_operator_rejects_once(operator: Client, session: Session, memory: Block):
    write = hold(memory)
    address = f"/quarantine/{write.pk}"
    assert operator.post(address, {"decision": "reject"}).status_code == 303
    assert content(session) == "Facts."
    second = operator.post(address, {"decision": "approve"}, follow=True)
    assert "It was rejected by operator oscar before" in second.content.decode()
    assert content(session) == "Facts."


def test_a_block_without_room_is_told_and_the_write_stays_held(
    operator: Client, session: Session, memory: Block
):
    write = hold(memory)
    Block.objects.update(max_tokens=5)
    answer = operator.post(
        f"/quarantine/{write.pk}", {"decision": "approve"}, follow=True
    )
    assert "exceeds maxTokens" in answer.content.decode()
    assert count_held() == 1


def test_a_viewer_does_not_decide(viewer: Client, memory: Block):
    write = hold(memory)
    answer = viewer.post(f"/quarantine/{write.pk}", {"decision": "approve"})
    assert answer.status_code == 403
    assert count_held() == 1


def test_entries_and_whole_texts_are_compared_with_what_is_there(
    viewer: Client, session: Session, memory: Block
):
    docs = block(session, "docs", kind="search")
    held(set_entry(block=docs, key="a<b>", content=INJECTION, author=KEY))
    held(set_block(block=memory, content=INJECTION, author=KEY))
    shown = page(viewer, "/quarantine")
    assert "nothing → held" in shown
    assert "a&lt;b&gt;" in shown
    assert '<tr class="removed"><td>1</td><td>−</td><td>Facts.' in shown


def test_filters_and_pages(viewer: Client, stranger: Agent, memory: Block):
    for number in range(12):
        hold(memory, f"{INJECTION} {number}")
    first = page(viewer, "/quarantine")
    assert first.count("<article") == 10
    assert "More" in first
    last = HeldWrite.objects.order_by("pk")[9].pk
    assert page(viewer, f"/quarantine?after={last}").count("<article") == 2
    assert "No held writes of stranger" in page(viewer, "/quarantine?agent=stranger")
    assert "No rejected writes" in page(viewer, "/quarantine?state=rejected")
    page(viewer, "/quarantine?state=odd", 404)
    page(viewer, "/quarantine?agent=nobody", 404)
    assert page(viewer, "/quarantine?after=x").count("<article") == 10


def test_what_cannot_be_seen_is_spelt_out():
    html = marked("<b>a\u200bb</b>")
    assert html == '&lt;b&gt;a<mark title="hidden text">\\u{200b}</mark>b&lt;/b&gt;'
    assert marked("x" * 20_005).endswith("… 5 more characters")


PANEL = "{% blocks_panel session %}"


def panel(session: Session) -> str:
    return engines["django"].from_string(PANEL).render({"session": session})


def test_the_panel_says_when_the_prompt_is_stale(
    session: Session, django_assert_num_queries: Callable[..., Any]
):
    made = block(session, "a<b>c", content="Facts.", max_tokens=100)
    set_policy(agent=session.agent, usage_in_headers=False)
    freeze_prompt(session=session)
    with django_assert_num_queries(2):
        shown = panel(session)
    assert "a&lt;b&gt;c" in shown
    assert "/ 100" in shown
    assert "Memory changed" not in shown
    set_block(block=made, content="New.", author=KEY)
    assert "Memory changed after the prompt was frozen" in panel(session)
    assert fresh_block(made).content == "New."


def test_the_panel_of_a_session_without_blocks(session: Session):
    assert "No blocks" in panel(session)
