from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from sessions_app.errors import Invalid
from sessions_app.messages import check_name
from sessions_app.models import Agent
from sessions_app.services.importing import FORMATS
from sessions_app.services.importing.files import UnknownFormat, import_file
from sessions_app.services.importing.reports import Counts, Report

# How many problems of a file are written out, unless --verbosity 2 asks for all.
MOST_PROBLEMS = 20

DRY_RUN = "Dry run: the import was made and taken back, nothing of it is stored.\n"


class Command(BaseCommand):
    help = "Import conversations from other programs' files. Again is safe: only what is new goes in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        known = "; ".join(f"{name}: {each.title}" for name, each in FORMATS.items())
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--format", choices=["auto", *FORMATS], default="auto", help=known
        )
        parser.add_argument(
            "--agent",
            default=Agent.DEFAULT,
            help="whose sessions they are; made if need be",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would be imported"
        )

    def handle(
        self,
        *,
        files: list[Path],
        format: str,  # noqa: A002 (the option's name)
        agent: str,
        dry_run: bool,
        verbosity: int,
        **options: Any,
    ) -> None:
        try:
            check_name(agent, "--agent", 200)
        except Invalid as exc:
            raise CommandError(exc.message) from exc
        if dry_run:
            self.stdout.write(DRY_RUN)
        name = None if format == "auto" else format
        failed = 0
        for path in files:
            try:
                report = self.import_one(path, name, agent, dry_run=dry_run)
            except (OSError, UnknownFormat) as exc:
                failed += 1
                reason = exc.strerror if isinstance(exc, OSError) else exc
                self.stderr.write(f"{path}: {reason}")
            else:
                most = None if verbosity > 1 else MOST_PROBLEMS
                self.stdout.write(
                    f"{path}: {report.format}\n{describe(report, most)}\n"
                )
        if failed:
            raise CommandError(f"{failed} of {len(files)} files could not be imported")

    def import_one(
        self, path: Path, format_name: str | None, agent: str, *, dry_run: bool
    ) -> Report:
        with tqdm(
            total=path.stat().st_size,
            unit="B",
            unit_scale=True,
            desc=path.name,
            disable=None,
            leave=False,
        ) as bar:
            return import_file(
                path,
                format_name=format_name,
                agent_name=agent,
                dry_run=dry_run,
                progress=bar.update,
            )


def describe(report: Report, most: int | None) -> str:
    """Return the lines of a report, with at most so many problems."""
    lines = [f"  {label:<15}{value}" for label, value in rows(report.counts)]
    lines.append(f"  {'problems':<15}{len(report.problems)}")
    for problem in report.problems[:most]:
        lines.append(f"    line {problem.line}: {problem.reason}")
    if most is not None and len(report.problems) > most:
        lines.append(
            f"    and {len(report.problems) - most} more: --verbosity 2 shows all"
        )
    return "\n".join(lines)


def rows(counts: Counts) -> list[tuple[str, str]]:
    def of(total: int, new: int) -> str:
        return f"{total:,} ({new:,} new, {total - new:,} there before)"

    return [
        ("sessions", of(counts.sessions, counts.new_sessions)),
        ("messages", of(counts.messages, counts.new_messages)),
        ("branch points", f"{counts.branch_points:,}"),
        ("compactions", of(counts.compactions, counts.new_compactions)),
        ("labels", of(counts.labels, counts.new_labels)),
        ("usage rows", of(counts.usage, counts.new_usage)),
        ("cost", f"${counts.cost:.6f} (${counts.new_cost:.6f} new)"),
        ("settings", f"{counts.settings:,}"),
    ]
