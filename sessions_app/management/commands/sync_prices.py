from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from sessions_app.services.prices.filling import sync_prices


class Command(BaseCommand):
    help = "Bring the price table to the list of the installed genai-prices."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="only say what would change"
        )

    def handle(self, *, dry_run: bool, **options: Any) -> str:
        synced = sync_prices(dry_run=dry_run)
        said = "Would be" if dry_run else "Prices"
        return (
            f"{said}: {synced.added:,} added, {synced.changed:,} changed, "
            f"{synced.removed:,} removed, {synced.unchanged:,} as they were"
        )
