from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from sessions_app.services.prices.repricing import Repriced, reprice, rows_to_reprice
from sessions_app.services.spend.usage import NANOS


def moment(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise CommandError(f"No date: {text!r}, give it as 2026-01-31") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


class Command(BaseCommand):
    help = "Compute what the ledger's calls cost anew, by the prices as they are now."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--dry-run", action="store_true", help="only say what would change"
        )
        parser.add_argument("--since", metavar="DATE", help="calls from then on")
        parser.add_argument("--model", help="calls of this model")
        parser.add_argument(
            "--reported",
            action="store_true",
            help="also in the place of costs that clients or providers reported",
        )
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(
        self,
        *,
        dry_run: bool,
        since: str | None,
        model: str | None,
        reported: bool,
        quiet: bool,
        **options: Any,
    ) -> str:
        after = moment(since) if since else None
        total = rows_to_reprice(since=after, model=model).count()
        report = Repriced()
        with tqdm(total=total, unit=" rows", disable=quiet or None) as bar:
            for report in reprice(
                since=after, model=model, reported=reported, dry_run=dry_run
            ):
                bar.update(report.rows - bar.n)
        return _text(report, dry_run=dry_run)


def _text(report: Repriced, *, dry_run: bool) -> str:
    lines = [f"{'model':40} {'rows':>9} {'changed':>9} {'before $':>14} {'after $':>14} "
             f"{'computed $':>14} {'unpriced':>9}"]  # fmt: skip
    for name, each in sorted(report.models.items()):
        lines.append(
            f"{name or '(none)':40} {each.rows:9,} {each.changed:9,} "
            f"{each.before / NANOS:14.6f} {each.after / NANOS:14.6f} "
            f"{each.computed / NANOS:14.6f} {each.unpriced_after:9,}"
        )
    done = "would change" if dry_run else "changed"
    lines.append(f"{report.changed:,} of {report.rows:,} rows {done}")
    return "\n".join(lines)
