from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

from sessions_app.errors import TooLarge
from sessions_app.models import Agent, Job, Message, Session, Upload
from sessions_app.services.importing import upload_jobs, uploads
from sessions_app.services.importing.files import import_file
from sessions_app.services.jobs import LEASE, run_next

pytestmark = pytest.mark.django_db
PI = Path("tests/data/pi-v3.jsonl")
OASST = Path("tests/data/oasst.jsonl")


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.UPLOADS_DIR = tmp_path / "uploads"
    settings.DATA_DIR = settings.FILE_UPLOAD_TEMP_DIR = tmp_path
    return settings.UPLOADS_DIR


def send(client, *files, **fields):
    sent = [
        file
        if isinstance(file, SimpleUploadedFile)
        else SimpleUploadedFile(file.name, file.read_bytes())
        for file in files
    ]
    return client.post("/import", {"agent": "elsewhere", "files": sent} | fields)


def checked(client, *files):
    """Upload files, and have them looked through."""
    place = send(client, *files)["Location"]
    assert run_next()
    return place


def kept(folder):
    return list(folder.iterdir()) if folder.exists() else []


def test_the_way_of_a_file(operator, folder):
    place = send(operator, PI, OASST)["Location"]
    page = operator.get(place).content.decode()
    assert "Looking through the files" in page
    assert 'hx-trigger="every 2s"' in page
    assert len(kept(folder)) == 2
    assert {path.stat().st_mode & 0o777 for path in kept(folder)} == {0o600}

    run_next()
    page = operator.get(place).content.decode()
    assert "<b>5 new sessions</b>, <b>65 new messages</b>, $0.0028 of usage" in page
    assert "hx-trigger" not in page
    assert not Session.objects.exists()
    assert not Agent.objects.exists()

    assert operator.post(place, {"do": "import", "agent": "garden"}).status_code == 303
    assert "Importing into garden" in operator.get(place).content.decode()
    run_next()
    page = operator.get(place).content.decode()
    assert "5 new sessions, 65 new messages in garden" in page
    for session in Session.objects.all():
        assert f'href="/sessions/{session.pk}"' in page
    assert Session.objects.count() == 5
    assert Message.objects.count() == 65
    assert kept(folder) == []


def test_again_is_told_before(operator):
    place = checked(operator, OASST)
    operator.post(place, {"do": "import", "agent": "elsewhere"})
    run_next()

    again = checked(operator, OASST)

    assert "is here already" in operator.get(again).content.decode()


def test_problems_are_told(operator):
    bad = SimpleUploadedFile(
        "<b>bad</b>.jsonl", PI.read_bytes() + b'{"type": 5, "x": "<script>"}\n'
    )
    text = operator.get(checked(operator, bad)).content.decode()
    assert "1 problem<" in text
    assert "an entry needs a type" in text
    assert "<b>bad" not in text


def test_one_file_that_is_none_does_not_stop_the_others(operator):
    other = SimpleUploadedFile("notes.txt", b"hello")
    text = operator.get(checked(operator, other, PI)).content.decode()
    assert "It is of no format that we know" in text
    assert "Import 1 session" in text


def test_only_files_that_are_none(operator, folder):
    place = checked(operator, SimpleUploadedFile("notes.txt", b"hello"))
    text = operator.get(place).content.decode()
    assert "No file could be read" in text
    assert "Nothing was imported" in text
    assert kept(folder) == []


def test_files_are_discarded(operator, folder):
    place = checked(operator, PI)

    assert operator.post(place, {"do": "discard"}).status_code == 303

    assert kept(folder) == []
    assert "nothing was imported" in operator.get(place).content.decode()
    operator.post(place, {"do": "import", "agent": "x"})
    assert "Nothing was changed" in operator.get(place).content.decode()
    assert not Session.objects.exists()


def test_a_worker_that_is_killed(operator, monkeypatch, folder):
    """Its lease runs out, another begins again, and nothing comes in twice."""
    place = checked(operator, OASST)
    operator.post(place, {"do": "import", "agent": "elsewhere"})
    imported = import_file

    def killed(*args, **options):
        imported(*args, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(upload_jobs, "import_file", killed)
    with pytest.raises(KeyboardInterrupt):
        run_next()
    monkeypatch.undo()
    assert Message.objects.count() == 49
    assert Upload.objects.get().is_running
    assert run_next() is None

    assert run_next(now() + LEASE + timedelta(seconds=1))

    assert Upload.objects.get().state == "done"
    assert Message.objects.count() == 49
    assert kept(folder) == []


def test_a_job_that_fails_for_good_is_told(operator, monkeypatch):
    place = send(operator, PI)["Location"]
    Job.objects.update(error="OperationalError('disk I/O error')", finished_at=now())
    text = operator.get(place).content.decode()
    assert "disk I/O error" in text
    assert "hx-trigger" not in text

    operator.post(place, {"do": "retry"})
    run_next()

    assert Upload.objects.get().state == "checked"


def test_a_file_that_is_gone(operator, folder):
    place = send(operator, PI)["Location"]
    for path in kept(folder):
        path.unlink()
    run_next()
    assert "The file is gone" in operator.get(place).content.decode()


@pytest.mark.parametrize(
    "fields", [{"agent": ""}, {"agent": "a\nb"}, {"format": "x"}, {"files": []}]
)
def test_what_cannot_be_is_refused(operator, folder, fields):
    response = send(operator, PI, **fields)
    assert response.status_code == 422
    assert not Upload.objects.exists()
    assert kept(folder) == []


def test_too_large(operator, settings, folder):
    settings.MAX_UPLOAD_BYTES = PI.stat().st_size * 2
    assert send(operator, OASST).status_code == 413
    settings.MAX_UPLOAD_BYTES = 900
    one = SimpleUploadedFile("a", b"x" * 500)
    with pytest.raises(TooLarge):
        uploads.keep_files(
            [uploads.Sent("a", [b"x" * 500]), uploads.Sent("b", [b"x" * 500])]
        )
    assert send(operator, one).status_code in (303, 413)
    assert len(kept(folder)) <= 1


def test_what_nobody_confirms_goes(operator, folder):
    checked(operator, PI)
    old = (now() - timedelta(days=2)).timestamp()
    stray = folder / "stray"
    stray.write_bytes(b"x")
    for path in kept(folder):
        os.utime(path, (old, old))
    uploads.purge_uploads()
    assert [path.name for path in kept(folder)] != ["stray"]
    assert len(kept(folder)) == 1

    Upload.objects.update(updated_at=now() - timedelta(days=2))
    uploads.purge_uploads()

    assert kept(folder) == []
    assert Upload.objects.get().state == "discarded"


def test_roles(viewer, folder):
    assert viewer.get("/import").status_code == 200
    assert b"Upload and look" not in viewer.get("/import").content
    assert send(viewer, PI).status_code == 403
    assert kept(folder) == []
    upload = Upload.objects.create(agent="x", state="checked")
    assert viewer.get(f"/import/{upload.pk}").status_code == 200
    assert viewer.post(f"/import/{upload.pk}", {"do": "import"}).status_code == 403
    assert viewer.get("/import/999").status_code == 404
    assert Client().post("/import").status_code == 302


def test_a_form_without_its_token_is_refused(operator, folder):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = operator.cookies
    assert send(strict, PI).status_code == 403
    assert not Upload.objects.exists()
