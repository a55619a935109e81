"""
A receiver of webhooks for tests: a real HTTP server on this machine.

    with webhook_server(500, 200) as server:
        create_webhook(agent=None, url=server.url)
        ...
        assert server.received[0].headers["MemoryHub-Event"] == "budget.warning"

Each reply answers one request, and the last one all that follow: a status, or, below
100, for how many seconds to say nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from sessions_app.models import Delivery, Job
from sessions_app.services.jobs import run_next


@dataclass
class Request:
    path: str
    headers: Message
    body: bytes


@dataclass
class Receiver:
    replies: list[float]
    url: str = ""
    received: list[Request] = field(default_factory=list)

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.received.append(Request(handler.path, handler.headers, body))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if reply < 100:
            time.sleep(reply)
            return
        handler.send_response(int(reply))
        if 300 <= reply < 400:
            handler.send_header("Location", "/elsewhere")
        handler.send_header("Content-Length", "0")
        handler.end_headers()


@contextmanager
def webhook_server(*replies: float) -> Iterator[Receiver]:
    receiver = Receiver(list(replies) or [200])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.answer(self)

        def log_message(self, *args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    http.block_on_close = False
    receiver.url = f"http://127.0.0.1:{http.server_port}/hook?from=hub"
    thread = threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


def let_time_pass() -> None:
    """Make all that waits for its time due now."""
    Delivery.objects.exclude(next_try_at=None).update(next_try_at=1)
    Job.objects.unfinished().update(run_after=1)


def send_all() -> int:
    """Run the jobs that are due, and return how many."""
    ran = 0
    while run_next() is not None:
        ran += 1
    return ran
