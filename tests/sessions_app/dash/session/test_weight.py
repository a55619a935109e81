"""What the first answer of a session's page weighs, whatever is in the session."""

from __future__ import annotations

import re
from uuid import UUID

import orjson
from django.test import Client

from sessions_app.dash.session.transcript.items import MOST_SUMMARY
from sessions_app.messages import Draft, read_message
from sessions_app.models import Session
from tests.builders import append, compact, draft, fresh, talk

OUTPUT = '{"path": "<here>"}\n' * 60


def uid(number: int) -> str:
    return str(UUID(int=number))


def edit(number: int) -> Draft:
    """Return a call that changes a file, and prints a lot."""
    lines = [f"const line{each} = '<{number}>';" for each in range(30)]
    value = {"path": "a/b.ts", "oldText": "\n".join(lines), "newText": "x = 1;"}
    parts = [
        {"type": "text", "text": "Now & then. " * 40},
        {"type": "tool-edit", "toolCallId": uid(number), "input": value}
        | {"state": "output-error", "errorText": OUTPUT},
    ]
    message = {"id": uid(number), "role": "assistant", "parts": parts}
    return read_message(orjson.dumps(message), "m")


def test_a_page_is_light_whatever_it_shows(operator: Client, session: Session) -> None:
    append(session, *(edit(number) for number in range(150)))
    for number in range(60, 150):
        append(fresh(session), draft("beside", f"b{number}"), parent=uid(number))
    address = f"/sessions/{session.pk}"

    for query in ({}, {"msg": uid(0)}, {"msg": uid(100)}, {"before": uid(120)}):
        html = operator.get(address, query).content
        assert len(html) < 100_000
        assert html.count(b"<article") >= 8


def test_what_is_light_is_not_shortened(operator: Client, session: Session) -> None:
    talk(session, " ".join(f"w{number}" for number in range(60)))
    html = operator.get(f"/sessions/{session.pk}").content.decode()
    assert html.count("<article") == 50


def test_only_the_row_that_is_looked_at_has_all_its_tools(
    operator: Client, session: Session
) -> None:
    talk(session, "a b c")
    html = operator.get(f"/sessions/{session.pk}", {"msg": "b"}).content.decode()
    rows = re.findall(r"<article.*?</article>", html, re.DOTALL)
    assert ["Fork here" in row for row in rows] == [False, True, False]
    assert all(
        f"message?msg={name}" in row for name, row in zip("abc", rows, strict=True)
    )
    # Where no script gives a row the others, they are behind "More".
    more = operator.get(f"/sessions/{session.pk}/message?msg=a").content.decode()
    assert f"/sessions/{session.pk}/fork?at=a" in more
    assert f"/sessions/{session.pk}/label?msg=a" in more


def test_a_long_summary_comes_whole_when_asked_for(
    viewer: Client, session: Session
) -> None:
    talk(session, "a b c d e")
    summary = "It went on. " * 1_000
    made = compact(fresh(session), "b", "d", summary)
    address = f"/sessions/{session.pk}"

    html = viewer.get(address).content.decode()
    piece = viewer.get(f"{address}/part", {"compaction": made.uid}).content.decode()

    assert html.count("It went on.") < 2 * MOST_SUMMARY / len("It went on. ")
    assert f"/part?compaction={made.uid}" in html
    assert piece.count("It went on.") == 1_000
    assert viewer.get(f"{address}/part", {"compaction": "x"}).status_code == 404


def test_disabling_says_what_is_read_again(operator: Client, session: Session) -> None:
    talk(session, "a b c d e f g")
    compact(fresh(session), "b", "c", "short")
    compact(fresh(session), "b", "f", "s")
    html = operator.get(f"/sessions/{session.pk}").content.decode()
    assert "The next call reads 3 messages and 1 older summary again" in html
