from __future__ import annotations

import logging
import os
import signal
import threading
from argparse import ArgumentParser
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand
from django.db import OperationalError, close_old_connections

from sessions_app.services.jobs import Rounds, discover, run_next

logger = logging.getLogger(__name__)

# Seconds between two looks where nothing is due, and after the database refused.
IDLE = 0.5
REFUSED = 5.0


class Command(BaseCommand):
    help = "Run background jobs until stopped"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="run what is due now, then exit"
        )
        parser.add_argument(
            "--with-parent",
            type=int,
            metavar="PID",
            help="exit when this process, which started us, is gone",
        )

    def handle(
        self, *, once: bool, with_parent: int | None, **options: Any
    ) -> str | None:
        self.stopping = threading.Event()
        self.once = once
        self.parent = with_parent
        signal.signal(signal.SIGTERM, self.on_signal)
        signal.signal(signal.SIGINT, self.on_signal)

        discover()
        rounds = Rounds()
        ran = 0
        while not self.is_over():
            ran_one = self.work(rounds)
            ran += ran_one
            if once and not ran_one:
                break
        return None if with_parent is not None else f"Ran {ran} jobs"

    def work(self, rounds: Rounds) -> bool:
        """Do what is due, or wait; say whether a job was run."""
        close_old_connections()
        try:
            rounds.run_due()
            ran = run_next() is not None
        except OperationalError as error:
            if self.once:
                raise
            logger.warning("The database refused: %s", error)
            self.stopping.wait(REFUSED)
            return False
        if not ran:
            self.stopping.wait(IDLE)
        return ran

    def is_over(self) -> bool:
        orphaned = self.parent is not None and os.getppid() != self.parent
        return orphaned or self.stopping.is_set()

    def on_signal(self, signum: int, frame: FrameType | None) -> None:
        self.stopping.set()
