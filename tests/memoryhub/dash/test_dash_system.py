from __future__ import annotations

import pytest
from django.db import connection
from django.utils.timezone import now

from memoryhub.services import backups, integrity
from sessions_app.models import Job
from tests.builders import talk

pytestmark = pytest.mark.django_db(transaction=True)
sqlite_only = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="SQLite's own backup"
)


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR, settings.BACKUPS_DIR = tmp_path, tmp_path / "backups"
    tmp_path.chmod(0o700)
    return settings.BACKUPS_DIR


def test_it_says_how_the_server_is(viewer, settings, session):
    settings.SUMMARIZER_KEY = "sk-not-to-be-seen"
    settings.SUMMARIZER_URL = "http://user:pass@host/"
    talk(session, "m1")

    text = viewer.get("/system").content.decode()

    assert "Nothing needs a look" in text
    assert "in step" in text
    assert "MEMORYHUB_MAX_BODY_BYTES" in text
    assert "8,388,608" in text
    for secret in (settings.SECRET_KEY, "sk-not", "user:pass"):
        assert secret not in text
    assert "Django admin" not in text.split("<main")[1]


def test_what_is_wrong_is_told(viewer):
    Job.objects.create(name="x", error="broken", finished_at="2026-01-01T00:00:00Z")
    assert "Nothing needs a look" in viewer.get("/system").content.decode()
    Job.objects.create(name="x", error="broken", finished_at=now())
    text = viewer.get("/system").content.decode()
    assert "1 check needs a look" in text
    assert "1 failed for good in the last 24 h" in text


@pytest.mark.parametrize(
    ("do", "job"),
    [
        ("backup", "make_backup"),
        ("integrity", "check_integrity"),
        ("search", "rebuild_search_index"),
    ],
)
def test_an_operator_has_it_done(operator, do, job):
    assert operator.post("/system", {"do": do}).status_code == 303
    operator.post("/system", {"do": do})
    assert [each.name for each in Job.objects.all()] == [job]
    text = operator.get("/system").content.decode()
    assert 'hx-trigger="every 2s"' in text


def test_roles_and_bad_requests(viewer, operator, folder):
    assert viewer.post("/system", {"do": "backup"}).status_code == 403
    assert b"Back up now" not in viewer.get("/system").content
    assert operator.post("/system", {"do": "x"}).status_code == 404
    assert operator.get("/system/backups/x").status_code == 403
    assert not Job.objects.exists()


@sqlite_only
def test_backups_are_taken_away_and_deleted(manager, operator, session, folder):
    talk(session, "m1")
    name = backups.back_up().name
    text = manager.get("/system").content.decode()
    assert name in text

    response = manager.get(f"/system/backups/{name}")
    content = b"".join(response.streaming_content)
    assert content.startswith(b"SQLite format 3")
    assert response["Content-Disposition"] == f'attachment; filename="{name}"'
    assert operator.get(f"/system/backups/{name}").status_code == 403
    assert operator.post(f"/system/backups/{name}").status_code == 403

    assert manager.post(f"/system/backups/{name}").status_code == 303
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize(
    "name", ["..%2Fsecret_key", "memoryhub-x.sqlite3", "secret_key"]
)
def test_nothing_else_is_given(manager, tmp_path, name):
    (tmp_path / "secret_key").write_text("secret")
    assert manager.get(f"/system/backups/{name}").status_code == 404


@sqlite_only
def test_damage_is_shown_until_it_is_mended(viewer, monkeypatch):
    damaged = integrity.Result(at=now(), seconds=1, problems=["row 5 <missing>"])
    monkeypatch.setattr(integrity, "check_now", lambda: damaged)
    integrity.check_integrity()
    text = viewer.get("/system").content.decode()
    assert "row 5 &lt;missing&gt;" in text
    assert "restore the newest sound backup" in text
    monkeypatch.undo()
    integrity.check_integrity()
    assert "Nothing needs a look" in viewer.get("/system").content.decode()
