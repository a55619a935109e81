"""
A real server for a test: ``manage.py serve`` in a process of its own.

    with running_server(tmp_path) as server:
        httpx.get(f"{server.url}/api/v1/sessions", headers=server.headers)

Its database is migrated and its static files are collected once for all tests: what is
in an empty folder for the first time is what ``fresh=True`` gives.

It works with DATABASE_URL too: each data directory then has a database of its own
on that PostgreSQL, which later servers on the same directory find again.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg

ROOT = Path(__file__).resolve().parent.parent
MANAGE = [sys.executable, str(ROOT / "manage.py")]
# Seconds to be up, on a busy machine; and to be gone again.
PATIENCE = 60

READY = re.compile(r"^MemoryHub \S+ at (\S+)$", re.MULTILINE)
KEY = re.compile(r"^ +API key +(\S+)$", re.MULTILINE)
PASSWORD = re.compile(r"^ +password +(\S+)$", re.MULTILINE)

PREPARE = """
import django
django.setup()
from django.core.management import call_command
from memoryhub import collected
call_command("migrate", verbosity=0)
collected.collect()
"""

# The PostgreSQL databases of data directories, by their names; "" on SQLite.
_databases: dict[Path, str] = {}


@dataclass
class Server:
    process: subprocess.Popen[str]
    url: str = ""
    # What the first start on a data directory printed; later ones have none.
    key: str = ""
    password: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def output(self) -> str:
        """All that it has written until now, errors too."""
        return "".join(self.lines)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal, and return its exit code when it has ended."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def running_server(
    data_dir: Path, *extra: str, fresh: bool = False
) -> Iterator[Server]:
    """Give a server that answers, on a free port; stop it in the end."""
    server = start_server(data_dir, *extra, fresh=fresh)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


def start_server(data_dir: Path, *extra: str, fresh: bool = False) -> Server:
    """Return a server that answers. Who calls it has to stop it."""
    if not fresh and not (data_dir.exists() and any(data_dir.iterdir())):
        shutil.copytree(_prepared(), data_dir, dirs_exist_ok=True)
        (data_dir / "secret_key").unlink()
        _databases[data_dir] = _database_like(_databases.get(_prepared()))
    process = subprocess.Popen(
        [*MANAGE, "serve", "--port=0", *extra],
        env=environment(data_dir),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = Server(process)
    ready = threading.Event()
    threading.Thread(target=_follow, args=(server, ready), daemon=True).start()
    ready.wait(PATIENCE)
    if not server.url:
        process.kill()
        raise RuntimeError(f"The server did not start:\n{server.output}")
    return server


def _follow(server: Server, ready: threading.Event) -> None:
    """Read what the server writes until it ends, lest it waits for a full pipe."""
    assert server.process.stdout
    with server.process.stdout as lines:
        for line in lines:
            server.lines.append(line)
            if not server.url and (match := READY.match(line)):
                server.url = match[1]
                server.key = _find(KEY, server.output)
                server.password = _find(PASSWORD, server.output)
                ready.set()
    ready.set()


def _find(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match[1] if match else ""


def environment(data_dir: Path) -> dict[str, str]:
    """Return the environment for commands on a data directory."""
    changes = {"MEMORYHUB_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"}
    if data_dir not in _databases:
        _databases[data_dir] = _database_like(None)
    if name := _databases[data_dir]:
        parts = urlsplit(os.environ["DATABASE_URL"])
        changes["DATABASE_URL"] = urlunsplit(parts._replace(path=f"/{name}"))
    return os.environ | changes


@cache
def _prepared() -> Path:
    """Return a data directory as it is before a first start, but for what takes long."""
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-prepared-"))
    atexit.register(shutil.rmtree, folder)
    settings = {"DJANGO_SETTINGS_MODULE": "memoryhub.settings"}
    command = [sys.executable, "-c", PREPARE]
    subprocess.run(command, cwd=ROOT, env=environment(folder) | settings, check=True)
    return folder


def _database_like(template: str | None) -> str:
    """Return the name of a new database; it is dropped when Python ends. "" on SQLite."""
    if not os.environ.get("DATABASE_URL"):
        return ""
    name = f"serve_{secrets.token_hex(8)}"
    _execute(f"CREATE DATABASE {name} TEMPLATE {template or 'template1'}")
    atexit.register(_execute, f"DROP DATABASE {name} WITH (FORCE)")
    return name


def _execute(statement: str) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(statement)
