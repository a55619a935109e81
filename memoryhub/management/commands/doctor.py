from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memoryhub.services.doctor import Check, run_checks
from memoryhub.services.integrity import check_integrity

MARKS = {"ok": "ok  ", "warn": "LOOK", "bad": "BAD "}


class Command(BaseCommand):
    help = (
        "Check the server's database, disk, backups and jobs; 1 if something is wrong"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--integrity", action="store_true", help="read through the whole database"
        )

    def handle(self, *, integrity: bool, **options: Any) -> None:
        if integrity:
            check_integrity()
        checks = run_checks()
        for check in checks:
            self.stdout.write(_line(check))
        wrong = sum(check.state != "ok" for check in checks)
        if wrong:
            raise CommandError(f"{wrong} of {len(checks)} checks need a look")


def _line(check: Check) -> str:
    advice = f"\n      {check.advice}" if check.advice else ""
    return f"{MARKS[check.state]}  {check.name}: {check.text}{advice}"
