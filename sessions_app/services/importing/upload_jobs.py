"""The work on an upload, step by step in the background: see ``uploads``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.utils.timezone import now

from sessions_app.errors import MemoryHubError
from sessions_app.models import Upload
from sessions_app.services.importing.files import import_file
from sessions_app.services.importing.reports import Report
from sessions_app.services.importing.uploads import State, path_of, remove_files
from sessions_app.services.jobs import job

# Seconds between two notes of how far it is.
NOTE_EVERY = 1.0
# What a report keeps of each file.
MOST_PROBLEMS = 100
MOST_KEYS = 1_000


@job
def check_upload(*, upload: int) -> None:
    """Make the dry run, unless the upload was discarded meanwhile."""
    found = Upload.objects.filter(id=upload, state=State.CHECKING).first()
    if found is not None:
        reports = [*_work(found, dry_run=True)]
        failed = all("error" in report for report in reports)
        _end(found, State.FAILED if failed else State.CHECKED, found=reports)
        if failed:
            remove_files(found)


@job
def import_upload(*, upload: int) -> None:
    """Import the files, and remove them."""
    found = Upload.objects.filter(id=upload, state=State.IMPORTING).first()
    if found is not None:
        reports = [*_work(found, dry_run=False)]
        failed = all("error" in report for report in reports)
        _end(found, State.FAILED if failed else State.DONE, result=reports)
        remove_files(found)


def _end(upload: Upload, state: State, **columns: Any) -> None:
    """Note the result, unless somebody has discarded the upload meanwhile."""
    Upload.objects.filter(id=upload.id, state=upload.state).update(
        state=state, read_bytes=upload.total_bytes, updated_at=now(), **columns
    )


def _work(upload: Upload, *, dry_run: bool) -> Iterator[dict[str, Any]]:
    """Yield what became of each file; one that cannot be read does not stop the others."""
    progress = Progress(upload)
    for file in upload.files:
        name = {"name": file["name"], "size": file["size"]}
        try:
            report = import_file(
                path_of(file),
                format_name=upload.format or None,
                agent_name=upload.agent,
                dry_run=dry_run,
                progress=progress.add,
            )
        except MemoryHubError as exc:
            yield {**name, "error": exc.message}
        except FileNotFoundError:
            yield {**name, "error": "The file is gone: upload it again"}
        else:
            yield {**name, **as_json(report)}


class Progress:
    """How many bytes were read, noted every second."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.read = 0
        self.noted = time.monotonic()

    def add(self, size: int) -> None:
        self.read += size
        if time.monotonic() - self.noted < NOTE_EVERY:
            return
        self.noted = time.monotonic()
        with transaction.atomic():
            Upload.objects.filter(id=self.upload.id).update(read_bytes=self.read)


def as_json(report: Report) -> dict[str, Any]:
    """Return a report as a row or an answer holds it."""
    counts = report.counts
    numbers = {
        name: getattr(counts, name)
        for name in (
            "sessions", "new_sessions", "messages", "new_messages", "branch_points",
            "compactions", "new_compactions", "labels", "new_labels", "usage",
            "new_usage", "settings",
        )
    }  # fmt: skip
    return {
        "format": report.format,
        **numbers,
        "cost_nanos": int(counts.cost * 1_000_000_000),
        "new_cost_nanos": int(counts.new_cost * 1_000_000_000),
        "problem_count": len(report.problems),
        "problems": [[p.line, p.reason] for p in report.problems[:MOST_PROBLEMS]],
        "keys": report.keys[:MOST_KEYS],
    }
