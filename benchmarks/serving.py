"""The real server on a database file, and a client that keeps its connection."""

from __future__ import annotations

import http.client
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson

from benchmarks.databases import using
from sessions_app.services.registry.keys import create_key
from tests.server import running_server


@dataclass(frozen=True)
class Serving:
    url: str
    key: str


class Failed(Exception):
    """An answer that is not a success."""


@contextmanager
def serving(database: Path, *extra: str) -> Iterator[Serving]:
    """Run ``manage.py serve`` on the folder of a database."""
    with using(database):
        _, key = create_key(agent=None, scope="admin", name="bench")
    # The server reads its settings from the environment: it must not have ours.
    os.environ.pop("DATABASE_URL", None)
    with running_server(database.parent, *extra) as server:
        yield Serving(server.url, key)


class Client:
    """One connection, kept open; use it in one thread."""

    def __init__(self, server: Serving) -> None:
        address = urlsplit(server.url)
        self.connection = http.client.HTTPConnection(
            str(address.hostname), address.port
        )
        self.headers = {
            "Authorization": f"Bearer {server.key}",
            "Content-Type": "application/json",
        }

    def __enter__(self) -> Client:
        self.connection.connect()
        self.connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    def __exit__(self, *exc: Any) -> None:
        self.connection.close()

    def request(
        self, method: str, path: str, body: bytes | None = None, *, signed: bool = True
    ) -> bytes:
        """
        :raises Failed: if the answer is not a success
        """
        headers = self.headers if signed else {}
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        content = response.read()
        if response.status >= 300:
            raise Failed(f"{response.status} {content[:200]!r}")
        return content

    def append(self, session: str, raw: bytes) -> Any:
        body = b'{"messages":[' + raw + b"]}"
        return orjson.loads(
            self.request("POST", f"/api/v1/sessions/{session}/messages", body)
        )
