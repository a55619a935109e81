from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from sessions_app.models import Session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.agents import delete_agent
from tests.builders import append, draft, fresh, say, seen, talk

pytestmark = pytest.mark.django_db


def file(client, session, **query):
    response = client.get(f"/sessions/{session.pk}/export", query)
    assert response.status_code == 200
    return response, b"".join(response.streaming_content).decode()


def test_the_page_offers_all_formats(viewer, session):
    say(session, "m1")
    text = viewer.get(f"/sessions/{session.pk}/export").content.decode()
    for name in ("memoryhub", "markdown", "openai-chat", "anthropic", "raw"):
        assert f'href="?format={name}"' in text


def test_a_branch_is_kept_in_the_links(viewer, session):
    talk(session, "m1 m2")
    say(session, "m2b", parent="m1")
    text = viewer.get(f"/sessions/{session.pk}/export", {"leaf": "m2"}).content.decode()
    assert 'href="?format=markdown&amp;leaf=m2"' in text


def test_an_empty_session(viewer, session):
    assert viewer.get(f"/sessions/{session.pk}/export").status_code == 200
    _, lines = file(viewer, session, format="memoryhub")
    assert [json.loads(line)["type"] for line in lines.splitlines()] == [
        "session",
        "end",
    ]
    assert "0 messages" in file(viewer, session, format="markdown")[1]


def test_markdown(viewer, session):
    parts = [
        {"type": "reasoning", "text": "hm\nwell"},
        {"type": "tool-bash", "toolCallId": "c1", "input": {"a": 1}, "output": "```"},
        {"type": "text", "text": "Done."},
    ]
    append(session, draft("Hello", "m1"), draft("", "m2", "assistant", parts=parts))

    response, text = file(viewer, session, format="markdown")

    assert response["Content-Disposition"] == 'attachment; filename="trip.md"'
    assert "## user\n\nHello" in text
    assert "> hm\n> well" in text
    assert '**bash**\n\ninput:\n\n```\n{"a":1}\n```' in text
    assert "````\n```\n````" in text


def test_a_name_makes_a_safe_file_name(viewer, session):
    Session.objects.update(key='../../"x"\r\n<b>')
    response, _ = file(viewer, session, format="memoryhub")
    assert response["Content-Disposition"] == 'attachment; filename="x-b.jsonl"'


def test_a_fork(viewer, session):
    talk(session, "m1 m2")
    fork = fork_session(session=session, at="m1", key="fork")
    say(fork, "f1")
    _, lines = file(viewer, fork, format="memoryhub")
    assert [json.loads(line)["type"] for line in lines.splitlines()][1:3] == [
        "message"
    ] * 2


@pytest.mark.parametrize(
    ("query", "status"),
    [({"format": "x"}, 422), ({"format": "markdown", "leaf": "x"}, 404)],
)
def test_what_cannot_be(viewer, session, query, status):
    assert viewer.get(f"/sessions/{session.pk}/export", query).status_code == status


def test_the_command_writes_what_the_other_reads(session, stranger, tmp_path):
    talk(session, "m1 m2")
    fork_session(session=session, key="fork")
    out = StringIO()
    call_command("export_sessions", out=tmp_path, stdout=out)
    (path,) = tmp_path.iterdir()
    assert "2 sessions of support" in out.getvalue()
    delete_agent(agent=session.agent)

    call_command("import_sessions", str(path), agent="support", stdout=out)

    trip, fork = Session.objects.order_by("id")
    assert (trip.key, fork.key) == ("trip", "fork")
    assert fork.parent_session == trip
    assert seen(fresh(fork)) == "m1 m2"


def test_the_command_knows_its_agents(session, stranger, tmp_path):
    call_command(
        "export_sessions", out=tmp_path / "x", agent="stranger", stdout=StringIO()
    )
    assert [*(tmp_path / "x").iterdir()] == []
    with pytest.raises(CommandError, match="No agent"):
        call_command("export_sessions", out=tmp_path, agent="nobody")
