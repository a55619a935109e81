"""What a server must have for itself before it starts: its folder and its port."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.management.base import CommandError

# Seconds that a port may take to come free: those of a server that was killed end
# by themselves, but not at once.
PATIENCE = 3.0
PAUSE = 0.05
LAST_PORT = 65535
ADVICE = "Give --host an address of this machine: 127.0.0.1 for itself alone, 0.0.0.0 for all."
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


@contextmanager
def hold_folder(path: Path) -> Iterator[None]:
    """Hold a data directory. The lock goes with the process, however it ends."""
    with (path / "serve.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            raise CommandError(
                f"A server (process {file.read().strip() or 'unknown'}) already works on "
                f"{path}. Stop it first, or set MEMORYHUB_DATA_DIR to another folder."
            ) from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def find_port(host: str, number: int) -> tuple[str, int]:
    """
    Return the address of a host, and the port, which is free; 0 is any.

    Granian shares a port that another server of this user has, so it has to be
    asked for before.
    """
    if number not in range(LAST_PORT + 1):
        raise CommandError(f"There is no port {number}: the last one is {LAST_PORT}")
    try:
        found = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        raise CommandError(
            f"No address for the host {host} ({error.strerror}). {ADVICE}"
        ) from error
    # 127.0.0.1 rather than ::1 for localhost, as most clients take it.
    family, *_, sockaddr = min(found, key=lambda each: each[0] != socket.AF_INET)
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(sockaddr)
                return str(sockaddr[0]), probe.getsockname()[1]
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < deadline:
                time.sleep(PAUSE)
                continue
            raise CommandError(_refusal(host, number, error)) from error


def _refusal(host: str, number: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {number} is in use by another program. Take another one: "
            f"manage.py serve --port {number + 1}"
        )
    if error.errno == errno.EACCES:
        return (
            f"Port {number} is not for ordinary users. Take one from 1024 on: "
            "manage.py serve --port 8000"
        )
    return f"{host} port {number} cannot be had ({error.strerror}). {ADVICE}"


def reachable(address: str) -> str:
    """Return the address by which this machine reaches a server that listens there."""
    return WILDCARDS.get(address, address)


def wait_until_up(address: str, number: int, stopping: threading.Event) -> bool:
    """Return True when the server answers, or False when it is to stop."""
    while not stopping.wait(PAUSE):
        try:
            socket.create_connection((reachable(address), number), timeout=1).close()
        except OSError:
            continue
        return True
    return False
