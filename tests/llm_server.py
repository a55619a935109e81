"""
A model for tests: a real HTTP server on this machine that speaks OpenAI's protocol,
and Anthropic's.

    with llm_server(says("A summary"), status(500), hangs(5)) as server:
        settings.SUMMARIZER_URL = server.url
        ...
        assert server.prompts == [...]

Each reply answers one request, and the last one all that follow. A reply is a function
that is given the request's JSON and the handler, and writes what it likes.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

Reply = Callable[[dict[str, Any], BaseHTTPRequestHandler], None]

USAGE = {
    "prompt_tokens": 1200,
    "completion_tokens": 90,
    "total_tokens": 1290,
    "prompt_tokens_details": {"cached_tokens": 1000},
    "completion_tokens_details": {"reasoning_tokens": 30},
}

CLAUDE_USAGE = {
    "input_tokens": 200,
    "cache_read_input_tokens": 1000,
    "cache_creation_input_tokens": 0,
    "output_tokens": 90,
}


def says(
    text: Any | Callable[[str], Any],
    *,
    usage: Any = USAGE,
    model: str = "small-1",
    finish_reason: str = "stop",
) -> Reply:
    """Answer with a text, or with what a function makes of the prompt."""

    def reply(request: dict[str, Any], handler: BaseHTTPRequestHandler) -> None:
        content = text(request["messages"][-1]["content"]) if callable(text) else text
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": finish_reason}
        completion = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": model,
            "choices": [choice],
            "usage": usage,
        }
        send(handler, 200, json.dumps(completion).encode())

    return reply


def asks(*calls: tuple[str, dict[str, Any]], text: str | None = None) -> Reply:
    """Answer with calls of tools, each a name and its arguments, or with a text."""

    def reply(request: dict[str, Any], handler: BaseHTTPRequestHandler) -> None:
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{uuid4().hex}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(arguments)},
                }
                for name, arguments in calls
            ]
        reason = "tool_calls" if calls else "stop"
        choice = {"index": 0, "message": message, "finish_reason": reason}
        completion = {
            "id": f"chatcmpl-{uuid4().hex}",
            "object": "chat.completion",
            "model": request["model"],
            "choices": [choice],
            "usage": USAGE,
        }
        send(handler, 200, json.dumps(completion).encode())

    return reply


def claude_asks(*calls: tuple[str, dict[str, Any]], text: str | None = None) -> Reply:
    """Answer as ``asks`` does, in Anthropic's protocol."""

    def reply(request: dict[str, Any], handler: BaseHTTPRequestHandler) -> None:
        content: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        for name, arguments in calls:
            uid = f"toolu_{uuid4().hex}"
            block = {"type": "tool_use", "id": uid, "name": name, "input": arguments}
            content.append(block)
        message = {
            "id": f"msg_{uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": content,
            "stop_reason": "tool_use" if calls else "end_turn",
            "usage": CLAUDE_USAGE,
        }
        send(handler, 200, json.dumps(message).encode())

    return reply


def status(code: int, message: str = "out of order", **headers: str) -> Reply:
    """Refuse, as OpenAI does; ``a_b`` is the header A-B."""
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return lambda request, handler: send(handler, code, body, headers)


def sends(body: bytes) -> Reply:
    """Answer with anything."""
    return lambda request, handler: send(handler, 200, body)


def hangs(seconds: float) -> Reply:
    """Say nothing for a while, and then still nothing."""
    return lambda request, handler: time.sleep(seconds)


def trickles(seconds: float, every: float = 0.05) -> Reply:
    """Begin to answer, and go on for ever in very small pieces."""

    def reply(request: dict[str, Any], handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(int(seconds / every)):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(every)

    return reply


def send(
    handler: BaseHTTPRequestHandler,
    code: int,
    body: bytes,
    headers: Mapping[str, str] | None = None,
) -> None:
    handler.send_response(code)
    for name, value in (headers or {}).items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@dataclass
class Server:
    replies: list[Reply]
    url: str = ""
    # What it was asked, in order: the JSON, and the headers in lower case.
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def prompts(self) -> list[str]:
        return [request["messages"][-1]["content"] for request in self.requests]

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            self.requests.append(request)
            self.paths.append(handler.path)
            self.headers.append({k.lower(): v for k, v in handler.headers.items()})
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        try:
            reply(request, handler)
        except (BrokenPipeError, ConnectionResetError):
            # Who asked has had enough.
            handler.close_connection = True


@contextmanager
def llm_server(*replies: Reply) -> Iterator[Server]:
    server = Server(list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            server.answer(self)

        def log_message(self, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    http.block_on_close = False
    server.url = f"http://127.0.0.1:{http.server_port}/v1"
    thread = threading.Thread(target=http.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
