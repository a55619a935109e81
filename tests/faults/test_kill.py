"""An acknowledged message is there after the server was killed, at any moment."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from contextlib import closing
from pathlib import Path

import httpx
import pysqlite3
import pytest
from django.db import connection

from tests.server import Server, start_server

WRITERS = 4
# On PostgreSQL it is another program that keeps the data, and is not killed.
KILLS = 20 if connection.vendor == "sqlite" else 3


@pytest.mark.slow
def test_no_acknowledged_message_is_lost(tmp_path: Path) -> None:
    acknowledged: dict[str, list[str]] = {f"s{n}": [] for n in range(WRITERS)}
    server = start_server(tmp_path)
    key = server.key
    make_sessions(server.url, key, list(acknowledged))

    for kill in range(KILLS):
        before = count(acknowledged)
        writers = [
            threading.Thread(target=write, args=(server.url, key, session, uids))
            for session, uids in acknowledged.items()
        ]
        for writer in writers:
            writer.start()
        while count(acknowledged) < before + 10:
            time.sleep(0.01)
        time.sleep(random.Random(kill).uniform(0, 0.2))
        kill_all(server)
        for writer in writers:
            writer.join()

        if connection.vendor == "sqlite":
            check_file(tmp_path / "memoryhub.sqlite3")
        server = start_server(tmp_path)
        check_answers(server.url, key, acknowledged)

    assert server.stop() == 0


def count(acknowledged: dict[str, list[str]]) -> int:
    return sum(map(len, acknowledged.values()))


def make_sessions(url: str, key: str, sessions: list[str]) -> None:
    for session in sessions:
        reply = httpx.post(
            f"{url}/api/v1/sessions", headers=bearer(key), json={"id": session}
        )
        assert reply.status_code == 201


def write(url: str, key: str, session: str, acknowledged: list[str]) -> None:
    """Append message after message until nobody answers any more."""
    with httpx.Client(headers=bearer(key)) as client:
        while True:
            uid = f"{session}-{len(acknowledged)}-{random.getrandbits(32)}"
            message = {"id": uid, "role": "user", "content": f"word {uid}"}
            try:
                reply = client.post(
                    f"{url}/api/v1/sessions/{session}/messages",
                    json={"messages": [message]},
                )
            except httpx.TransportError:
                return
            assert reply.status_code == 201, reply.text
            acknowledged.append(uid)


def kill_all(server: Server) -> None:
    """Kill the server and every process that it started, at once."""
    family = [server.process.pid]
    for pid in family:
        family += children(pid)
    for pid in family:
        os.kill(pid, signal.SIGKILL)
    server.process.wait()


def children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    lists = [(task / "children").read_text() for task in tasks.iterdir()]
    return [int(child) for each in lists for child in each.split()]


def check_file(path: Path) -> None:
    """Check the database file and the search index in it."""
    with closing(pysqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        for table in ("sessions_app_search", "sessions_app_trigrams"):
            database.execute(
                f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)"
            )


def check_answers(url: str, key: str, acknowledged: dict[str, list[str]]) -> None:
    """Read everything back: all that was acknowledged, in order, and found by search."""
    with httpx.Client(base_url=f"{url}/api/v1", headers=bearer(key)) as client:
        search = client.get("/health").json()["search"]
        assert search == {"missing": 0, "orphans": 0}
        for session, uids in acknowledged.items():
            history = client.get(f"/sessions/{session}/history").json()["items"]
            stored = [message["id"] for message in history]
            # What was written and not yet acknowledged may be there as well.
            assert [uid for uid in stored if uid in set(uids)] == uids
            hits = client.get(f"/sessions/{session}/search", params={"q": uids[-1]})
            assert [hit["message"] for hit in hits.json()["items"]] == [uids[-1]]


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}
