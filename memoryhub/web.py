"""
The web server: granian with a few worker processes, each with a few threads.

The workers are spawned, not forked: they import the settings anew, so they see
the collected static files, and share neither locks nor connections with us.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.connection import wait
from typing import Any

from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

TARGET = "memoryhub.wsgi:application"
# Seconds that requests in flight have to end. Docker kills after ten.
PATIENCE = 7
# A thread that ends takes its database connection with it; this is the longest.
IDLE_SECONDS = 600
LOGGING = {
    "formatters": {
        "generic": {"format": "%(asctime)s %(levelname)s granian: %(message)s"},
        "access": {"format": "%(message)s"},
    }
}


def serve(
    *, address: str, port: int, workers: int, threads: int, access_log: bool
) -> None:
    """
    Serve until SIGTERM or SIGINT, and return when the workers are gone.

    :raises SystemExit: if the workers died again and again.
    """
    multiprocessing.set_start_method("spawn", force=True)
    # Backpressure stays as it is: it counts open connections, idle ones as well, so
    # a small one would let a few clients that keep theirs shut out all others.
    server = Granian(
        TARGET,
        address=address,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=threads,
        blocking_threads_idle_timeout=IDLE_SECONDS,
        respawn_failed_workers=True,
        workers_kill_timeout=PATIENCE,
        log_level=LogLevels.warning,
        log_dictconfig=LOGGING,
        log_access=access_log,
    )
    server.serve(target_loader=load)


def load(target: str) -> Any:
    """Return the application; granian calls this in each worker."""
    # A group of its own: Ctrl-C is for the parent, which stops its workers.
    os.setpgid(0, 0)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def _end_with_parent() -> None:
    """Stop this worker when its parent was killed: it must not hold the port."""
    parent = multiprocessing.parent_process()
    if parent:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(PATIENCE)
        os._exit(1)
