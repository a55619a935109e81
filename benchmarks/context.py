"""The context of a session, and conversations in every dialect."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.conversations import Conversation
from benchmarks.databases import Shelf, session_of, using
from benchmarks.measuring import Work, interleave, micros, print_table, verdict
from benchmarks.serving import Client, Serving, serving
from context_app.authors import SYSTEM
from context_app.services.creating import create_block
from sessions_app.formats import FORMATS, get_format
from sessions_app.messages import parse_body
from sessions_app.models import Message, Session
from sessions_app.services.compaction.overlays import add_compaction

VISIBLE = 50
BLOCKS = 4
MOST_CONTEXT = 2
MOST_RENDER = 0.025


def run(shelf: Shelf) -> None:
    calls = 100 if shelf.quick else 500
    sizes = (shelf.large_sizes[0], shelf.large_sizes[-1])
    database = shelf.large()
    with using(database):
        for size in sizes:
            prepared(session_of(size))
    contexts(shelf, database, sizes, calls)
    rendering()


def contexts(shelf: Shelf, database: Path, sizes: Sequence[int], calls: int) -> None:
    with ExitStack() as stack:
        server = stack.enter_context(serving(database))
        client = stack.enter_context(Client(server))
        asks = {
            f"{VISIBLE} visible of {size:,}": asking(client, f"of-{size}")
            for size in sizes
        }
        content = shelf.folder() / "bytes"
        content.write_bytes(next(iter(asks.values()))())
        other = stack.enter_context(bare(content))
        least = stack.enter_context(Client(Serving(other, server.key)))
        sides: dict[str, Work] = {
            "a bare endpoint": lambda: least.request("GET", "/bytes"),
            **asks,
            "the same, never asked for before": asking_anew(client, f"of-{sizes[0]}"),
        }
        timings = interleave(sides, calls=calls, warm=20, waits=True)
    floor = timings["a bare endpoint"].median
    rows = [
        [name, micros(each.median), verdict(each.median, floor, MOST_CONTEXT)]
        for name, each in timings.items()
    ]
    print_table("GET /context over HTTP (in memory)", ("", "median us", "ratio"), rows)


def asking(client: Client, key: str) -> Callable[[], bytes]:
    path = f"/api/v1/sessions/{key}/context?format=openai-chat"
    return lambda: client.request("GET", path)


def asking_anew(client: Client, key: str) -> Callable[[], bytes]:
    """Ask each time for what no cache has, as it is after each turn of an agent."""
    path = f"/api/v1/sessions/{key}/context?format=openai-chat&keep_recent="
    # All of them mean that nothing is cut short.
    numbers = count(10 * VISIBLE)
    return lambda: client.request("GET", f"{path}{next(numbers)}")


@contextmanager
def bare(content: Path) -> Iterator[str]:
    """Serve the bytes of a file with nothing but ninja, and give the address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["granian", "--interface", "wsgi", "--workers", "2"]
    command += [
        "--blocking-threads",
        "3",
        "--port",
        str(port),
        "benchmarks.bare:application",
    ]
    environment = {
        **os.environ,
        "BARE_CONTENT": str(content),
        "DJANGO_SETTINGS_MODULE": "benchmarks.bare_settings",
    }
    program = [sys.executable, "-m", *command]
    with subprocess.Popen(
        program, env=environment, stdout=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(port)


def prepared(session: Session) -> None:
    """Give a session blocks, and a summary over all but its newest messages."""
    for number in range(BLOCKS):
        create_block(
            owner=session,
            label=f"block{number}",
            kind="writable",
            content="A fact about the user. " * 20,
            max_tokens=1000,
            author=SYSTEM,
        )
    path = Message.objects.filter(session=session).order_by("depth")
    first, last = path[0].uid, path[path.count() - VISIBLE].uid
    add_compaction(
        session=session, first=first, last=last, summary="It was long. " * 50
    )


def rendering() -> None:
    drafts = [
        parse_body(raw) | {"id": f"m{n}"}
        for n, raw in enumerate(Conversation(seed=3).raws(1_000))
    ]
    sides = {name: rendered(name, drafts) for name in FORMATS}
    timings = interleave(sides, calls=20)
    rows = [
        [name, micros(each.median), verdict(each.median, 1, MOST_RENDER)]
        for name, each in timings.items()
    ]
    print_table("1,000 messages in a dialect", ("", "median us", "seconds"), rows)


def rendered(name: str, messages: list[dict[str, Any]]) -> Work:
    return lambda: get_format(name).render(messages, "You are kind.")
