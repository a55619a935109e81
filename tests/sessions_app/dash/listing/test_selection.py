from __future__ import annotations

import html
import json
import re

import pytest

from sessions_app.models import Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.registry.selections import tags_of, trash_sessions
from tests.builders import fresh, talk
from tests.people import client_of


@pytest.fixture
def two(agent):
    made = [create_session(agent=agent, key=key, name=key) for key in ("one", "two")]
    talk(made[0], "a b c")
    return made


def send(client, sessions, query="", **fields):
    pks = [each.pk for each in sessions]
    return client.post(f"/sessions{query}", {"session": pks, **fields})


def undo_of(client):
    """Return where the toast on the next page undoes what was done."""
    page = client.get("/sessions").content.decode()
    (found,) = re.findall(r'action="(/sessions/undo[^"]*)"', page)
    return html.unescape(found)


def test_a_viewer_can_select_nothing(viewer, two):
    assert 'name="session"' not in viewer.get("/sessions").content.decode()
    assert send(viewer, two, act="archive").status_code == 403
    assert viewer.post("/sessions/undo?act=trash&session=1").status_code == 403
    assert Session.objects.filter(archived_at=None, trashed_at=None).count() == 2


def test_archive_and_undo(operator, two):
    response = send(operator, two, "?sort=name", act="archive")

    assert (response.status_code, response["Location"]) == (303, "/sessions?sort=name")
    assert Session.objects.filter(archived_at__isnull=False).count() == 2
    assert operator.post(undo_of(operator)).status_code == 303
    assert Session.objects.filter(archived_at__isnull=False).count() == 0


def test_the_trash_is_asked_for_with_counts(operator, two):
    page = send(operator, two, act="trash").content.decode()

    assert "Move 2 sessions and 3 messages to the trash?" in page
    assert page.count('type="hidden" name="session"') == 2
    assert Session.objects.filter(trashed_at=None).count() == 2


def test_cancel_keeps_the_selection(operator, two):
    page = send(operator, two[:1], act="").content.decode()

    assert page.count(" checked>") + page.count(" checked ") == 1
    assert Session.objects.filter(trashed_at=None).count() == 2


def test_to_the_trash_and_back(operator, two):
    assert send(operator, two, sure="trash").status_code == 303
    assert Session.objects.filter(trashed_at=None).count() == 0
    page = operator.get("/sessions?status=trash").content.decode()
    assert "2 sessions moved to the trash" in page
    assert "Delete for ever" in page

    send(operator, two[:1], act="restore")

    assert [each.key for each in Session.objects.filter(trashed_at=None)] == ["one"]


def test_the_trash_can_be_undone(operator, two):
    send(operator, two, sure="trash")

    operator.post(undo_of(operator))

    assert Session.objects.filter(trashed_at=None).count() == 2


def test_delete_for_ever_is_asked_for_and_takes_only_trash(operator, two):
    trash_sessions(pks=[two[0].pk], trashed=True)

    asked = send(operator, two[:1], "?status=trash", act="delete").content.decode()
    assert "Delete 1 session and 3 messages for ever?" in asked
    send(operator, two, "?status=trash", sure="delete")

    assert [each.key for each in Session.objects.all()] == ["two"]


def test_tag_and_untag(operator, two):
    send(operator, two, act="tag", tag="vip")
    assert [tags_of(fresh(each)) for each in two] == [["vip"], ["vip"]]

    operator.post(undo_of(operator))
    assert [tags_of(fresh(each)) for each in two] == [[], []]


def test_a_refused_tag_keeps_the_list_and_says_why(operator, two):
    page = send(operator, two, act="tag", tag=" ").content.decode()

    assert "A tag has 1 to 50 characters" in page
    assert page.count("checked") >= 2


def test_nothing_selected_is_said(operator, two):
    operator.post("/sessions", {"act": "archive"})

    page = operator.get("/sessions").content.decode()
    assert "No session was selected" in page


@pytest.mark.parametrize(
    "fields", [{"act": "eat"}, {"sure": "archive"}, {"session": "x"}]
)
def test_nonsense_is_refused(operator, two, fields):
    assert operator.post("/sessions", {"session": "1", **fields}).status_code == 422


def test_htmx_is_led_on_or_gets_the_question(operator, two):
    headers = {"HX-Request": "true"}
    pks = [each.pk for each in two]

    asked = operator.post(
        "/sessions", {"session": pks, "act": "trash"}, headers=headers
    )
    done = operator.post(
        "/sessions", {"session": pks, "sure": "trash"}, headers=headers
    )

    assert "<html" not in asked.content.decode()
    assert "Move 2 sessions" in asked.content.decode()
    assert done["HX-Redirect"] == "/sessions"


def test_a_form_needs_its_token(two):
    client = client_of("oscar", "operator")
    client.handler.enforce_csrf_checks = True

    assert send(client, two, act="archive").status_code == 403


def test_the_selected_are_exported_in_one_file(operator, viewer, two):
    pks = {"session": [each.pk for each in two]}

    response = operator.post("/sessions/export", pks)

    lines = [json.loads(line) for line in response.getvalue().splitlines()]
    assert [line["id"] for line in lines if line["type"] == "session"] == ["one", "two"]
    assert 'filename="sessions.jsonl"' in response["Content-Disposition"]
    assert operator.post("/sessions/export").status_code == 422
    assert viewer.post("/sessions/export", pks).status_code == 403
