from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from memoryhub.services.backups import back_up
from sessions_app.errors import MemoryHubError


class Command(BaseCommand):
    help = "Write the SQLite database to a file, while the server runs"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--out", type=Path, help="by default a new file in the data's backups/"
        )

    def handle(self, *, out: Path | None, **options: Any) -> str:
        with tqdm(unit=" pages", disable=None, leave=False) as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            try:
                path = back_up(out, progress)
            except MemoryHubError as exc:
                raise CommandError(exc.message) from exc
            except OSError as exc:
                raise CommandError(f"{exc.filename}: {exc.strerror}") from exc
        return f"{path} ({path.stat().st_size:,} bytes, checked)"
