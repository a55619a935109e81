"""What a request to the API costs: its statements, and where the time goes."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import orjson
from django.core.wsgi import get_wsgi_application
from django.db import connection

from benchmarks.conversations import Conversation
from benchmarks.databases import Shelf, using
from benchmarks.measuring import Timing, interleave, micros, print_table
from memoryhub.sqlite import base, cursors
from sessions_app.models import Agent, Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.registry.keys import create_key

SIZE = 1_000
KEY = f"of-{SIZE}"

Wrapper = base.DatabaseWrapper
Send = Callable[[], None]


class InSQLite:
    """Adds up the time that statements take, from the driver's door on."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            started = time.thread_time()
            try:
                return function(*args)
            finally:
                self.seconds += time.thread_time() - started

        return call

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Count what is done with cursors; a COMMIT is done without one."""
        methods = ("execute", "executemany", "fetchone", "fetchmany", "fetchall")
        members = {name: self.timed(getattr(cursors.Cursor, name)) for name in methods}
        with (
            patch.object(base, "Cursor", type("Timed", (cursors.Cursor,), members)),
            patch.object(Wrapper, "_commit", self.timed(Wrapper._commit)),
        ):
            yield


def run(shelf: Shelf) -> None:
    calls = 100 if shelf.quick else 500
    with using(shelf.copy(SIZE)):
        _, key = create_key(agent=None, scope="admin", name="bench")
        sides = requests(key, create_session(agent=Agent.objects.get(), key="other"))
        statements = {name: count_statements(send) for name, send in sides.items()}
        timings = interleave(sides, calls=calls)
        in_sqlite = {
            name: seconds_in_sqlite(send, calls // 5) for name, send in sides.items()
        }
    empty = timings["GET /health"].median
    rows = [
        [
            name,
            f"{statements[name][0]}",
            f"{statements[name][1]}",
            micros(timing.median),
            micros(in_sqlite[name]),
            micros(empty),
            micros(max(0.0, timing.median - empty - in_sqlite[name])),
        ]
        for name, timing in timings.items()
    ]
    header = (
        "",
        "statements",
        "by triggers",
        "in all us",
        "in SQLite",
        "Django, ninja",
        "our Python",
    )
    print_table("A request in process, from WSGI on (in memory)", header, rows)


def requests(key: str, session: Session) -> dict[str, Send]:
    application = get_wsgi_application()

    def start(
        status: str, headers: Any, exc_info: Any = None
    ) -> Callable[[bytes], object]:
        return bytes

    conversation = Conversation(seed=1)

    def send(method: str, path: str, body: bytes = b"", *, signed: bool = True) -> None:
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": f"/api/v1{path.partition('?')[0]}",
            "QUERY_STRING": path.partition("?")[2],
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "8000",
            "wsgi.input": io.BytesIO(body),
            "wsgi.url_scheme": "http",
        }
        if signed:
            environ["HTTP_AUTHORIZATION"] = f"Bearer {key}"
        response = application(environ, start)
        content = b"".join(response)
        response.close()
        assert response.status_code < 300, content

    def append() -> None:
        body = b'{"messages":[' + conversation.raw() + b"]}"
        send("POST", f"/sessions/{session.key}/messages", body)

    return {
        "GET /health": lambda: send("GET", "/health", signed=False),
        "append one": append,
        "history, the last 50": lambda: send(
            "GET", f"/sessions/{KEY}/history?limit=50"
        ),
        "history, all 1,000": lambda: send("GET", f"/sessions/{KEY}/history"),
        "get session": lambda: send("GET", f"/sessions/{KEY}"),
        "fork": lambda: send("POST", f"/sessions/{KEY}/fork", orjson.dumps({})),
        "search, a medium word": lambda: send(
            "GET", f"/sessions/{KEY}/search?q=harbour"
        ),
    }


def count_statements(send: Send) -> tuple[int, int]:
    """Return how many statements a request runs, and how many those set off."""
    send()
    traced: list[str] = []
    raw = connection.connection
    raw.set_trace_callback(traced.append)
    try:
        send()
    finally:
        raw.set_trace_callback(None)
    # A statement is traced again each time that one of its triggers comes back to it.
    own = {each for each in traced if not each.startswith("--")}
    return len(own), sum(each.startswith("--") for each in traced)


def seconds_in_sqlite(send: Send, calls: int) -> float:
    timing = Timing()
    for _ in range(calls):
        watch = InSQLite()
        with watch.watching():
            send()
        timing.seconds.append(watch.seconds)
    return timing.median
