from __future__ import annotations

import re
from urllib.parse import parse_qsl

import orjson
from django.test import Client

from sessions_app.messages import read_message
from sessions_app.models import Session
from sessions_app.services.registry.sessions import check_out
from tests.builders import append, fresh, talk


def live(html: str) -> str:
    """Return the address that a page asks for what is new."""
    found = re.search(r'id="live"[^>]*hx-get="([^"]+)"', html)
    assert found
    return found[1].replace("&amp;", "&")


def opened(client: Client, session: Session, **query: str) -> str:
    return live(client.get(f"/sessions/{session.pk}", query).content.decode())


def part(**fields):
    return {"type": "tool-bash", "toolCallId": "c", "toolName": "bash", **fields}


def test_nothing_new_is_cheap(
    viewer: Client, session: Session, django_assert_num_queries
) -> None:
    talk(session, "a b")
    address = opened(viewer, session)

    # The login session, the person, their role, and where the session stands.
    with django_assert_num_queries(4):
        response = viewer.get(address)

    assert response.status_code == 204
    assert not response.content


def test_new_messages_come_below(viewer: Client, session: Session) -> None:
    talk(session, "a b")
    address = opened(viewer, session)
    talk(session, "c d")

    html = viewer.get(address).content.decode()

    assert re.findall(r'id="m(\d+)"', html) == ["2", "3", "4"]
    assert 'data-count="2"' in html
    assert re.search(r'id="m2"[^>]*hx-swap-oob="true"', html)
    assert not re.search(r'id="m3"[^>]*hx-swap-oob', html)
    assert viewer.get(live(html)).status_code == 204
    # The figures in the head follow.
    for pill in ("head", "messages", "context", "cost"):
        assert re.search(rf'id="pill-{pill}" hx-swap-oob="true"', html)
    assert "<b>4</b> on path" in html


def test_a_result_joins_the_card_on_the_page(viewer: Client, session: Session) -> None:
    call = {"id": "call", "role": "assistant", "parts": [part(input={"command": "ls"})]}
    append(session, read_message(orjson.dumps(call), "m"))
    address = opened(viewer, session)
    answer = {"id": "r", "role": "tool", "parts": [part(output="file1")]}
    append(session, read_message(orjson.dumps(answer), "m"))

    html = viewer.get(address).content.decode()

    assert re.findall(r'id="m(\d+)"', html) == ["1"]
    assert "file1" in html


def test_another_branch_is_told_and_not_mixed_in(
    viewer: Client, session: Session
) -> None:
    talk(session, "a b c")
    address = opened(viewer, session)
    talk(session, "x", parent="a")

    html = viewer.get(address).content.decode()

    assert "on another branch" in html
    assert re.findall(r'id="m(\d+)"', html) == ["3"]


def test_a_head_that_is_moved_is_told(viewer: Client, session: Session) -> None:
    talk(session, "a b c")
    address = opened(viewer, session)
    check_out(session=session, uid="a")

    assert "on another branch" in viewer.get(address).content.decode()


def test_a_branch_beside_the_head_goes_on_by_itself(
    viewer: Client, session: Session
) -> None:
    talk(session, "a b")
    talk(session, "x", parent="a")
    address = opened(viewer, session, leaf="b")
    talk(session, "y")

    html = viewer.get(address).content.decode()

    assert "on another branch" not in html
    assert re.findall(r'id="m(\d+)"', html) == ["2"]
    assert dict(parse_qsl(live(html).partition("?")[2]))["leaf"] == "b"


def test_deleted_meanwhile(viewer: Client, session: Session) -> None:
    talk(session, "a b")
    address = opened(viewer, session)
    fresh(session).messages.filter(uid="none").delete()

    gone = address.replace(f"/sessions/{session.pk}/", "/sessions/999999/")
    assert viewer.get(gone).status_code == 404
    odd = re.sub("tail=b", "tail=zz", address).replace("after=2", "after=x")
    assert "on another branch" in viewer.get(odd).content.decode()
