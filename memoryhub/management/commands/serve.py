from __future__ import annotations

import threading
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from memoryhub import __version__, checks, claims, collected, first_run, web
from memoryhub.job_worker import JobWorker
from sessions_app.models import Agent
from sessions_app.services.prices.filling import want_prices
from sessions_app.services.registry.purging import purge_ephemeral

FIRST_START = """\
This is the first start. Keep these; they are not shown again:

    {url}/
    user name  {username}
    password   {password}

    API key    {key}
    curl -H "Authorization: Bearer {key}" {url}/api/v1/sessions
"""


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("it has to be 1 or more")
    return number


class Command(BaseCommand):
    help = "Prepare the database, then run the web server and the job worker"
    # What the machine and the settings can be wrong in. The code is checked by CI: to
    # import all of it here would keep who waits for the server.
    requires_system_checks = (checks.MACHINE, Tags.compatibility)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where to listen")
        parser.add_argument("--port", type=int, default=8000, help="0: any free one")
        parser.add_argument("--workers", type=positive, default=2, help="processes")
        parser.add_argument(
            "--threads", type=positive, default=3, help="in each process"
        )
        parser.add_argument(
            "--access-log", action="store_true", help="a line a request"
        )

    def handle(
        self,
        *,
        host: str,
        port: int,
        workers: int,
        threads: int,
        access_log: bool,
        **options: Any,
    ) -> None:
        with claims.hold_folder(Path(settings.DATA_DIR)):
            address, port = claims.find_port(host, port)
            reachable = claims.reachable(address)
            url = f"http://{f'[{reachable}]' if ':' in reachable else reachable}:{port}"
            credentials = self.prepare()
            if credentials:
                self.stdout.write(FIRST_START.format(url=url, **vars(credentials)))

            def announce(stopping: threading.Event) -> None:
                if claims.wait_until_up(address, port, stopping):
                    self.stdout.write(f"MemoryHub {__version__} at {url}")
                    self.stdout.flush()

            jobs = JobWorker(begin=announce)
            jobs.start()
            try:
                web.serve(
                    address=address,
                    port=port,
                    workers=workers,
                    threads=threads,
                    access_log=access_log,
                )
            finally:
                jobs.stop()

    def prepare(self) -> first_run.Credentials | None:
        """Bring the data directory and the database to where the server can start."""
        self.check(tags=[Tags.database], databases=["default"])
        self.migrate()
        # It changes nothing, and fails where nothing can be written.
        Agent.objects.filter(pk=0).update(name="")
        if collected.collect():
            self.stdout.write("Collected the static files")
        purge_ephemeral()
        want_prices()
        # The last thing that can fail: what it returns cannot be read again.
        credentials = first_run.set_up()
        connections.close_all()
        return credentials

    def migrate(self) -> None:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            call_command("migrate", interactive=False, verbosity=0)
            self.stdout.write(f"Applied {len(plan)} migrations to the database")
