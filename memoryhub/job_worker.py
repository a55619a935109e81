from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable

from django.conf import settings

logger = logging.getLogger(__name__)

LOOK = 0.2  # seconds between two looks at the process
PAUSE = 5.0  # seconds before one that has died is replaced
PATIENCE = 5.0  # seconds that a job may take to end; its lease brings it back


class JobWorker(threading.Thread):
    """
    Keeps one ``run_jobs`` process alive until stopped.

    Only this thread handles the process. It starts it after ``begin`` has
    returned: the process is not to compete with those that a user waits for.
    """

    def __init__(self, begin: Callable[[threading.Event], None]) -> None:
        super().__init__(name="job-worker", daemon=True)
        self.begin = begin
        self.stopping = threading.Event()

    def run(self) -> None:
        self.begin(self.stopping)
        while not self.stopping.is_set():
            process = self._start()
            while process.poll() is None and not self.stopping.wait(LOOK):
                pass
            if process.poll() is None:
                self._end(process)
            else:
                logger.error("The job worker ended with %s", process.returncode)
                self.stopping.wait(PAUSE)

    def stop(self) -> None:
        """Return when the process is gone."""
        self.stopping.set()
        self.join()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [
            sys.executable,
            str(settings.BASE_DIR / "manage.py"),
            "run_jobs",
            "--skip-checks",
            f"--with-parent={os.getpid()}",
        ]
        # A group of its own: Ctrl-C is for us, and we stop the worker.
        return subprocess.Popen(command, process_group=0)  # noqa: S603

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
