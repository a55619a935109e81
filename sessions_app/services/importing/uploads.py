"""
Files that people upload to import: kept in a folder of the data until they are read.

First a dry run says what is in them, then somebody confirms. Both are jobs, since a
large file takes minutes; one that is killed begins again, and nothing comes in twice.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from sessions_app.errors import Conflict, Invalid, TooLarge
from sessions_app.messages import check_name
from sessions_app.models import Job, Session, Upload
from sessions_app.services.importing import FORMATS
from sessions_app.services.jobs import enqueue, periodic

State = Upload.State

# How long files wait for somebody to confirm them, and how long the report is kept.
KEEP_FILES = timedelta(days=1)
KEEP_ROWS = timedelta(days=30)
HOUR = 3600.0
# Sessions that a result links to.
LINKED = 50


class UploadMoved(Conflict):
    """It is not where the caller thinks: checked, imported or discarded since."""


class Sent(NamedTuple):
    """A file as it comes in."""

    name: str
    chunks: Iterable[bytes]


def keep_files(sent: Sequence[Sent]) -> list[dict[str, Any]]:
    """
    Write files to the folder of uploads; all of them, or none.

    :raises TooLarge: if together they are more than one upload may have
    """
    kept: list[dict[str, Any]] = []
    left = settings.MAX_UPLOAD_BYTES
    try:
        for each in sent:
            path = new_file()
            kept.append({"name": each.name[:200], "path": path.name, "size": 0})
            size = write_chunks(path, each.chunks, left)
            left -= size
            kept[-1]["size"] = size
    except BaseException:
        for file in kept:
            path_of(file).unlink(missing_ok=True)
        raise
    return kept


def new_file() -> Path:
    folder = Path(settings.UPLOADS_DIR)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / secrets.token_hex(16)


def write_chunks(path: Path, chunks: Iterable[bytes], most: int) -> int:
    """
    Write a file that only we may read, and return its size.

    :raises TooLarge: if it is more than ``most`` bytes
    """
    size = 0
    with os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb"
    ) as f:
        for chunk in chunks:
            size += len(chunk)
            if size > most:
                raise TooLarge(
                    f"The files are larger than {settings.MAX_UPLOAD_BYTES:,} bytes: "
                    "use manage.py import_sessions",
                    limit=settings.MAX_UPLOAD_BYTES,
                )
            f.write(chunk)
    return size


def path_of(file: dict[str, Any]) -> Path:
    return Path(settings.UPLOADS_DIR, file["path"])


def begin(
    *, sent: Sequence[Sent], agent: str, format_name: str = "", created_by: str = ""
) -> Upload:
    """
    Keep files, and have a dry run say what is in them.

    :raises Invalid: if there is none, or the agent or the format cannot be
    :raises TooLarge: if they are more than one upload may have
    """
    check_name(agent, "agent", 200)
    if format_name and format_name not in FORMATS:
        raise Invalid(f"format: must be one of {', '.join(FORMATS)}", field="format")
    if not sent:
        raise Invalid("files: choose at least one", field="files")
    files = keep_files(sent)
    with transaction.atomic():
        upload = Upload.objects.create(
            agent=agent,
            format=format_name,
            files=files,
            total_bytes=sum(file["size"] for file in files),
            created_by=created_by,
        )
        enqueue("check_upload", dedupe_key=dedupe_key(upload), upload=upload.id)
    return upload


@transaction.atomic
def confirm(*, upload: Upload, agent: str) -> Upload:
    """
    Have an upload imported, for an agent that is made if need be.

    :raises UploadMoved: if it was not just checked
    """
    check_name(agent, "agent", 200)
    moved = Upload.objects.filter(id=upload.id, state=State.CHECKED).update(
        state=State.IMPORTING, agent=agent, read_bytes=0, updated_at=now()
    )
    if not moved:
        raise UploadMoved("The upload was imported or discarded meanwhile")
    enqueue("import_upload", dedupe_key=dedupe_key(upload), upload=upload.id)
    upload.refresh_from_db()
    return upload


def discard(*, upload: Upload) -> None:
    """
    Remove an upload's files without importing them.

    :raises UploadMoved: if it is being imported, or was
    """
    waiting = Upload.objects.filter(
        id=upload.id, state__in=(State.CHECKED, State.CHECKING)
    )
    if not waiting.update(state=State.DISCARDED, updated_at=now()):
        raise UploadMoved("The upload was imported meanwhile")
    remove_files(upload)


def remove_files(upload: Upload) -> None:
    for file in upload.files:
        path_of(file).unlink(missing_ok=True)


def dedupe_key(upload: Upload) -> str:
    return f"upload {upload.id}"


def job_of(upload: Upload) -> Job | None:
    """Return the newest job that works on an upload: why it fails, when it tries again."""
    return Job.objects.filter(dedupe_key=dedupe_key(upload)).order_by("-id").first()


def sessions_of(upload: Upload) -> list[Session]:
    """Return the first sessions that an upload made or added to."""
    keys = [key for file in upload.result for key in file.get("keys", [])][:LINKED]
    return list(
        Session.objects.living()
        .filter(agent__name=upload.agent, key__in=keys)
        .order_by("id")
    )


@periodic(HOUR)
def purge_uploads() -> None:
    """Remove the files that nobody confirmed for a day, and what nothing points to."""
    old = now() - KEEP_FILES
    idle = Upload.objects.filter(updated_at__lt=old, state=State.CHECKED)
    idle.update(state=State.DISCARDED)
    Upload.objects.filter(created_at__lt=now() - KEEP_ROWS).delete()
    running = Upload.objects.filter(
        state__in=(State.CHECKING, State.CHECKED, State.IMPORTING)
    )
    wanted = {file["path"] for upload in running for file in upload.files}
    folder = Path(settings.UPLOADS_DIR)
    left = [path for path in folder.glob("*") if path.name not in wanted]
    # What Django was just taking in when the server was killed.
    left += Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload")
    for path in left:
        # A file that is just coming in has no row yet.
        if path.stat().st_mtime < old.timestamp():
            path.unlink(missing_ok=True)
