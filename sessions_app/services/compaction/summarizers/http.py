"""Asking another server, within bounds of time and of size."""

from __future__ import annotations

import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import orjson
from django.utils.timezone import now

from sessions_app.services.compaction.summarizers.base import SummarizerFailed

# A summary takes a few kilobytes.
MOST_BYTES = 2 * 1024 * 1024
# Characters of the other server's own words in an error.
LONGEST_REASON = 300
LONGEST_WAIT = 24 * 3600  # seconds


def post_json(
    url: str, content: dict[str, Any], *, key: str, timeout: float
) -> dict[str, Any]:
    """
    Send JSON and return the JSON object that comes back.

    :raises SummarizerFailed: whatever goes wrong; the key is in no message
    """
    import httpx2  # noqa: PLC0415 (lazy: only those who use a model pay for it)

    host = urlsplit(url).hostname or url
    headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    try:
        with (
            httpx2.Client(timeout=timeout) as client,
            client.stream(
                "POST", url, content=orjson.dumps(content), headers=headers
            ) as reply,
        ):
            body = _read(reply, host, deadline=time.monotonic() + timeout)
            status, wait = reply.status_code, reply.headers.get("Retry-After", "")
    except httpx2.TimeoutException as exc:
        raise _too_slow(host) from exc
    except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as exc:
        reason = _clean(str(exc) or type(exc).__name__, key)
        raise SummarizerFailed(
            f"The summarizer at {host} cannot be asked: {reason}"
        ) from exc
    reason = _clean(_reason(body), key)
    # Some send what went wrong as a 200.
    if status != 200 or reason:
        raise SummarizerFailed(
            f"The summarizer at {host} answered {status}"
            + (f": {reason}" if reason else ""),
            retry_after=seconds_of(wait),
        )
    return _object(body, host)


def seconds_of(wait: str) -> float:
    """Return what a Retry-After says, a number or a date, in seconds; else 0."""
    if wait.isascii() and wait.isdigit():
        return float(min(int(wait[:9]), LONGEST_WAIT))
    try:
        until = parsedate_to_datetime(wait).replace(tzinfo=UTC)
    except ValueError:
        return 0
    return min(max((until - now()).total_seconds(), 0), LONGEST_WAIT)


def _read(reply: Any, host: str, *, deadline: float) -> bytes:
    body = bytearray()
    for piece in reply.iter_bytes():
        body += piece
        if len(body) > MOST_BYTES:
            raise SummarizerFailed(
                f"The summarizer at {host} answers with more than {MOST_BYTES} bytes"
            )
        # The client's own timeout is only for each wait.
        if time.monotonic() > deadline:
            raise _too_slow(host)
    return bytes(body)


def _object(body: bytes, host: str) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise SummarizerFailed(
            f"The summarizer at {host} does not answer in JSON"
        ) from exc
    if not isinstance(found, dict):
        raise SummarizerFailed(
            f"The summarizer at {host} does not answer with an object"
        )
    return found


def _reason(body: bytes) -> str:
    """Return what the other server says is wrong, if it says so as OpenAI does."""
    try:
        reason = orjson.loads(body)["error"]["message"]
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return ""
    return reason if isinstance(reason, str) else ""


def _clean(text: str, key: str) -> str:
    """Return a text as one line without the key, which some servers repeat."""
    for written in {key, repr(key)[1:-1]} - {""}:
        text = text.replace(written, "***")
    return " ".join(text.split())[:LONGEST_REASON]


def _too_slow(host: str) -> SummarizerFailed:
    return SummarizerFailed(f"The summarizer at {host} did not answer in time")
