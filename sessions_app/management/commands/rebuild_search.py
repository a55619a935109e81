from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from tqdm import tqdm

from sessions_app.models import Message
from sessions_app.services.searching.reindexing import reindex_all


class Command(BaseCommand):
    help = "Make the search index anew from the stored messages."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *, quiet: bool, **options: Any) -> str:
        total = Message.objects.count()
        with tqdm(total=total, unit=" messages", disable=quiet or None) as bar:
            for done in reindex_all():
                bar.update(done)
        return f"Indexed {total:,} messages"
