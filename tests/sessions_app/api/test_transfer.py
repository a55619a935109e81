from __future__ import annotations

import json

import pytest

from sessions_app.models import Session
from sessions_app.services.registry.agents import delete_agent
from tests.api import api_of, refusal
from tests.builders import seen, talk

pytestmark = pytest.mark.django_db
LINES = "application/x-ndjson"


def exported(api, key, **query):
    response = api.get(f"/sessions/{key}/export", **query)
    assert response.status_code == 200
    return response, b"".join(response.streaming_content)


def test_what_one_server_exports_another_imports(api, admin_api, session):
    talk(session, "m1 m2 m3")
    response, content = exported(api, "trip")
    assert response["Content-Type"] == LINES
    assert response["Content-Disposition"] == 'attachment; filename="trip.jsonl"'
    delete_agent(agent=session.agent)

    answer = admin_api.call("POST", "/import", content, content_type=LINES).json()

    assert answer["agent"] == "default"
    assert answer["ids"] == ["trip"]
    assert (answer["new_sessions"], answer["new_messages"]) == (1, 3)
    assert answer["problems"] == []
    assert seen(Session.objects.get()) == "m1 m2 m3"


def test_a_dry_run_stores_nothing(admin_api, api, session):
    talk(session, "m1")
    _, content = exported(api, "trip")

    answer = admin_api.call("POST", "/import", content, {"dry_run": "1"}).json()

    assert answer["dry_run"]
    assert answer["new_messages"] == 1
    assert Session.objects.count() == 1


def test_formats(api, session):
    talk(session, "m1 m2")

    response, text = exported(api, "trip", format="markdown")
    assert response["Content-Type"].startswith("text/markdown")
    assert b"## user\n\nm1" in text
    _, chat = exported(api, "trip", format="openai-chat", leaf="m1")
    assert json.loads(chat)["messages"] == [{"role": "user", "content": "m1"}]


@pytest.mark.parametrize(
    ("query", "error"),
    [({"format": "x"}, (422, "unknown_format")), ({"leaf": "x", "format": "markdown"}, (404, "not_found"))],
)  # fmt: skip
def test_what_cannot_be_exported(api, session, query, error):
    assert refusal(api.get("/sessions/trip/export", **query)) == error


def test_others_see_nothing(stranger_api, session):
    assert refusal(stranger_api.get("/sessions/trip/export")) == (404, "not_found")


def test_an_import_needs_an_admin(api):
    assert refusal(api.call("POST", "/import", b"{}")) == (403, "forbidden")


def test_an_import_goes_to_the_agent_of_the_key(agent, stranger, session, api):
    talk(session, "m1")
    _, content = exported(api, "trip")

    answer = api_of(stranger, "admin").call("POST", "/import", content)

    assert answer.json()["agent"] == "stranger"
    assert Session.objects.filter(agent=stranger, key="trip").exists()


@pytest.mark.parametrize("body", [b"", b"hello\n", b"\xff\xfe\x00"])
def test_what_is_no_file_of_ours(admin_api, body):
    assert refusal(admin_api.call("POST", "/import", body)) == (422, "unknown_format")


def test_a_file_that_is_too_large(admin_api, settings, tmp_path):
    settings.MAX_UPLOAD_BYTES, settings.UPLOADS_DIR = 10, tmp_path
    assert refusal(admin_api.call("POST", "/import", b"x" * 11)) == (413, "too_large")
    assert [*tmp_path.iterdir()] == []


def test_the_file_is_removed(admin_api, settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"
    admin_api.call("POST", "/import", b"hello")
    assert [*settings.UPLOADS_DIR.iterdir()] == []
