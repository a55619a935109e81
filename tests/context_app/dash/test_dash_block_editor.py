"""The editor of a block: saving, the limit, the conflict, the live count, the preview."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from context_app.models import Block
from context_app.services.blocks import set_block
from sessions_app.models import Agent, Session
from sessions_app.services.forest.creating import create_session
from tests.blocks import INJECTION, KEY, block, content, fresh_block, scan_with

EVIL = '<script>alert("x")</script>'


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


def save(client: Client, of: Block, text: str, version: int, **more: Any) -> Any:
    given = {"content": text, "version": version, **more}
    return client.post(f"/blocks/{of.pk}/save", given)


def test_saving_makes_a_version_by_the_operator(operator: Client, session: Session):
    made = block(session, content="Facts.")
    answer = save(operator, made, "Facts.\r\nMore.", 1)
    assert answer.status_code == 303
    assert answer["Location"] == f"/sessions/{session.pk}/blocks?block=memory"
    assert content(session) == "Facts.\nMore."
    shown = page(operator, answer["Location"])
    assert "memory saved as v2" in shown
    assert "operator oscar" in shown
    assert "1 line added" in shown


def test_a_readonly_block_is_an_operators_to_write(operator: Client, session: Session):
    made = block(session, kind="readonly", content="Facts.")
    assert save(operator, made, "New.", 1).status_code == 303
    assert content(session) == "New."


def test_saving_what_is_there_writes_nothing(operator: Client, session: Session):
    made = block(session, content="Facts.")
    save(operator, made, "Facts.", 1)
    assert fresh_block(made).version == 1


def test_a_text_over_the_limit_is_kept_in_the_form(operator: Client, session: Session):
    made = block(session, content="Facts.", max_tokens=5)
    answer = save(operator, made, f"{EVIL} " * 10, 1)
    assert answer.status_code == 422
    shown = answer.content.decode()
    assert "exceeds maxTokens" in shown
    assert "too many" in shown
    assert shown.count("&lt;script&gt;") >= 10
    assert EVIL not in shown
    assert content(session) == "Facts."


def test_of_two_writers_the_second_sees_both_texts(operator: Client, session: Session):
    made = block(session, content="One.\nTwo.")
    set_block(block=made, content="One.\nTheirs.", author=KEY)
    answer = save(operator, made, "One.\nMine.", 1)
    assert answer.status_code == 409
    shown = answer.content.decode()
    assert "memory is at v2 now." in shown
    assert "API key mh_test wrote while you edited v1" in shown
    assert "<del>Theirs</del>" in shown
    assert "<ins>Mine</ins>" in shown
    assert "\nOne.\nMine.</textarea>" in shown
    assert 'name="version" value="2"' in shown
    assert content(session) == "One.\nTheirs."
    assert save(operator, made, "One.\nMine.", 2).status_code == 303
    assert content(session) == "One.\nMine."


def test_what_looks_like_an_injection_is_asked_about(
    operator: Client, session: Session
):
    made = block(session)
    answer = save(operator, made, INJECTION, 1)
    assert answer.status_code == 422
    assert "Save it all the same" in answer.content.decode()
    assert content(session) == ""
    assert save(operator, made, INJECTION, 1, sure="yes").status_code == 303
    assert content(session) == INJECTION
    # What stands there was let in once.
    assert save(operator, made, INJECTION + " More.", 2).status_code == 303


def test_without_a_scan_nobody_is_asked(operator: Client, session: Session):
    scan_with(session.agent, "off")
    assert save(operator, block(session), INJECTION, 1).status_code == 303


@pytest.mark.parametrize("version", ["", "x", "-1", "²", "9" * 30])
def test_a_form_without_a_version_keeps_its_text(
    operator: Client, session: Session, version: Any
):
    answer = save(operator, block(session), "Mine", version)
    assert answer.status_code == 422
    assert "\nMine</textarea>" in answer.content.decode()


def test_a_nul_character_is_refused_in_the_form(operator: Client, session: Session):
    assert save(operator, block(session), "a\0b", 1).status_code == 422


def test_the_count_is_a_piece(viewer: Client, session: Session):
    made = block(session, max_tokens=10)
    answer = viewer.post(
        f"/blocks/{made.pk}/count",
        {"content": "x" * 36},
        headers={"HX-Request": "true"},
    )
    shown = answer.content.decode()
    assert "<html" not in shown
    assert "of 10 tokens" in shown
    assert "at-warn" in shown
    assert "1 left" in shown


def test_the_preview_is_the_section_as_it_is_typed(viewer: Client, session: Session):
    made = block(session, content="Old.", description="Facts", max_tokens=100)
    address = f"/blocks/{made.pk}/preview"
    given = {"content": f"New {EVIL}", "version": 1}
    piece = viewer.post(address, given, headers={"HX-Request": "true"}).content.decode()
    assert "MEMORY (Facts)" in piece
    assert "[writable]" in piece
    assert EVIL not in piece
    assert "<textarea" not in piece
    whole = viewer.post(address, given).content.decode()
    assert "\nNew &lt;script&gt;" in whole
    assert content(session) == "Old."
    assert "Old." in page(viewer, address)


def test_a_block_of_the_agent_is_edited_from_within_a_session(
    operator: Client, session: Session, stranger: Agent
):
    shared = block(session.agent, "soul", "Kind.", shared=True)
    inside = f"/blocks/{shared.pk}/save?in={session.pk}"
    answer = operator.post(inside, {"content": "Kinder.", "version": 1})
    assert answer["Location"] == f"/sessions/{session.pk}/blocks?block=soul"
    # A session that does not see it is no way back.
    other = create_session(agent=stranger)
    answer = operator.post(
        f"/blocks/{shared.pk}/save?in={other.pk}", {"content": "x", "version": 2}
    )
    assert answer["Location"] == "/blocks?agent=support&block=soul"


def test_the_text_for_a_block_deleted_meanwhile_is_not_lost(
    operator: Client, session: Session
):
    made = block(session, content="Facts.", description="What is known", max_tokens=90)
    shown = page(operator, f"/sessions/{session.pk}/blocks?block=memory")
    address = re.search(r'id="editor"[^>]* action="([^"]+)"', shown)
    kept = dict(re.findall(r'type="hidden" name="([a-z_]+)" value="([^"]*)"', shown))
    assert address
    operator.post(f"/blocks/{made.pk}/delete")

    answer = operator.post(address[1], {**kept, "content": f"{EVIL} is mine."})

    assert answer.status_code == 409
    again = answer.content.decode()
    assert "memory was deleted while you edited it" in again
    assert "&lt;/script&gt; is mine." in again
    assert 'value="What is known"' in again
    assert 'value="90"' in again
    assert operator.post(f"/blocks/{made.pk}/save", {}).status_code == 404
